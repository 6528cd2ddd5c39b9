-- A store as version 1 of the schema left it: one project agreed on, three changes pending.
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE projects(
  id TEXT NOT NULL ON CONFLICT REPLACE PRIMARY KEY DEFAULT (lower(printf('%08x-%04x-7%s-%s%s-%s',(CAST((julianday('now')-2440587.5)*86400000.0+0.5 AS INTEGER)>>16)&4294967295,CAST((julianday('now')-2440587.5)*86400000.0+0.5 AS INTEGER)&65535,substr(hex(randomblob(2)),2),substr('89ab',1+(random()&3),1),substr(hex(randomblob(2)),2),hex(randomblob(6)))))
    CHECK(length(CAST(id AS BLOB)) BETWEEN 1 AND 255 AND instr(id,char(0))=0 AND id NOT GLOB '*['||char(1)||'-'||char(31)||char(127)||'-'||char(159)||']*'),
  title TEXT DEFAULT '',
  body TEXT DEFAULT '',
  state TEXT DEFAULT 'todo',
  due_at TEXT,
  created_at INTEGER DEFAULT (CAST((julianday('now')-2440587.5)*86400000.0+0.5 AS INTEGER)*1000),
  updated_at INTEGER DEFAULT (CAST((julianday('now')-2440587.5)*86400000.0+0.5 AS INTEGER)*1000),
  extra TEXT CHECK(extra IS NULL OR (json_valid(extra) AND json_type(extra)='object'))
) STRICT;
INSERT INTO projects VALUES('a','one','first','todo','2026-11-30',1764000000000000,1764000000000000,'{"n":1.10}');
INSERT INTO projects VALUES('b','two and a half','','todo',NULL,1764000000000001,1796063485720000,NULL);
INSERT INTO projects VALUES('c','three','','todo',NULL,1764000000000002,1764000000000002,NULL);
CREATE TABLE syncd_store(
  one INTEGER PRIMARY KEY CHECK(one=1),
  id TEXT NOT NULL,
  applying INTEGER NOT NULL DEFAULT 0,
  seq INTEGER NOT NULL DEFAULT 0,
  lineage TEXT NOT NULL,
  restored INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO syncd_store VALUES(1,'5f0c6a1e9b7d4c3285a1f6e2d4b80c97',0,6,'0d9e8f7a6b5c4d3e2f1a0b9c8d7e6f5a',0);
CREATE TABLE syncd_journal(
  id TEXT PRIMARY KEY,
  seq INTEGER NOT NULL,
  operation TEXT NOT NULL CHECK(operation IN ('put','delete')),
  since INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO syncd_journal VALUES('b',5,'put',1796063485682000);
INSERT INTO syncd_journal VALUES('c',3,'put',1796063485682000);
INSERT INTO syncd_journal VALUES('d',6,'delete',1796063485731000);
CREATE TABLE syncd_history(
  version INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL,
  title TEXT, body TEXT, state TEXT, due_at TEXT,
  created_at INTEGER, updated_at INTEGER, extra TEXT,
  origin TEXT NOT NULL CHECK(origin IN ('local','remote')),
  reason TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;
INSERT INTO syncd_history VALUES(1,'b','two','','todo',NULL,1764000000000001,1764000000000001,NULL,'local','edited',1796063485720000);
INSERT INTO syncd_history VALUES(2,'d','four','','todo',NULL,1764000000000003,1764000000000003,NULL,'local','deleted',1796063485731000);
CREATE TABLE syncd_replaced(
  id TEXT PRIMARY KEY,
  title TEXT, body TEXT, state TEXT, due_at TEXT,
  created_at INTEGER, updated_at INTEGER, extra TEXT
) STRICT;
CREATE TABLE syncd_remote(
  key INTEGER PRIMARY KEY,
  url TEXT NOT NULL UNIQUE,
  remote_id TEXT,
  dialect TEXT,
  collection_version TEXT,
  conditional INTEGER,
  last_run TEXT,
  last_run_at INTEGER,
  last_success INTEGER,
  has_synced INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO syncd_remote VALUES(1,'https://example.test/v1/projects',NULL,'rest',NULL,NULL,'{}',1764000000000009,1764000000000009,1);
CREATE TABLE syncd_base(
  remote INTEGER NOT NULL REFERENCES syncd_remote(key) ON DELETE CASCADE,
  id TEXT NOT NULL,
  local_updated_at INTEGER NOT NULL,
  remote_version TEXT NOT NULL,
  etag TEXT,
  same INTEGER NOT NULL,
  PRIMARY KEY(remote, id)
) STRICT, WITHOUT ROWID;
INSERT INTO syncd_base VALUES(1,'a',1764000000000000,'"1"','"1"',1);
INSERT INTO syncd_base VALUES(1,'d',1764000000000003,'"4"','"4"',1);
CREATE TABLE syncd_set_aside(
  remote INTEGER NOT NULL REFERENCES syncd_remote(key) ON DELETE CASCADE,
  id TEXT NOT NULL,
  action TEXT NOT NULL,
  status INTEGER NOT NULL,
  message TEXT NOT NULL,
  since INTEGER NOT NULL,
  local_updated_at INTEGER,
  remote_version TEXT,
  PRIMARY KEY(remote, id)
) STRICT, WITHOUT ROWID;
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('syncd_history',2);
CREATE INDEX projects_digest ON projects(id, updated_at);
CREATE INDEX syncd_journal_seq ON syncd_journal(seq);
CREATE INDEX syncd_history_stamp ON syncd_history(id, updated_at);
CREATE INDEX syncd_history_at ON syncd_history(at);
CREATE TRIGGER syncd_naming_insert BEFORE INSERT ON projects
  WHEN NEW.id GLOB '*[^ -~]*' AND (SELECT applying FROM syncd_store)=0
BEGIN
  SELECT RAISE(ABORT, 'an id must be UTF-8') WHERE hex(NEW.id) IS NOT (
    WITH RECURSIVE spelled(count, bytes) AS (
      SELECT 0, ''
      UNION ALL
      SELECT count+1, bytes||hex(char(unicode(substr(NEW.id, count+1, 1)))) FROM spelled
        WHERE count<length(NEW.id))
    SELECT bytes FROM spelled WHERE count=length(NEW.id));
END;
CREATE TRIGGER syncd_naming_update BEFORE UPDATE OF id ON projects
  WHEN NEW.id GLOB '*[^ -~]*' AND (SELECT applying FROM syncd_store)=0
BEGIN
  SELECT RAISE(ABORT, 'an id must be UTF-8') WHERE hex(NEW.id) IS NOT (
    WITH RECURSIVE spelled(count, bytes) AS (
      SELECT 0, ''
      UNION ALL
      SELECT count+1, bytes||hex(char(unicode(substr(NEW.id, count+1, 1)))) FROM spelled
        WHERE count<length(NEW.id))
    SELECT bytes FROM spelled WHERE count=length(NEW.id));
END;
CREATE TRIGGER syncd_inserting BEFORE INSERT ON projects
  WHEN (EXISTS(SELECT 1 FROM projects WHERE id=NEW.id)
    OR EXISTS(SELECT 1 FROM projects WHERE rowid=NEW.rowid)
    OR EXISTS(SELECT 1 FROM syncd_replaced)) AND (SELECT applying FROM syncd_store)=0
BEGIN
  DELETE FROM syncd_replaced;
  INSERT INTO syncd_replaced(id, title, body, state, due_at, created_at, updated_at, extra)
    SELECT id, title, body, state, due_at, created_at, updated_at, extra FROM projects WHERE id=NEW.id OR rowid=NEW.rowid;
END;
CREATE TRIGGER syncd_inserted AFTER INSERT ON projects WHEN (SELECT applying FROM syncd_store)=0
BEGIN
  UPDATE syncd_store SET seq=seq+1;
  INSERT INTO syncd_journal(id, seq, operation, since)
    SELECT NEW.id, seq, 'put', (CAST((julianday('now')-2440587.5)*86400000.0+0.5 AS INTEGER)*1000) FROM syncd_store WHERE true
    ON CONFLICT(id) DO UPDATE SET seq=excluded.seq, operation=excluded.operation;
END;
CREATE TRIGGER syncd_replacing AFTER INSERT ON projects
  WHEN EXISTS(SELECT 1 FROM syncd_replaced) AND (SELECT applying FROM syncd_store)=0
BEGIN
  UPDATE syncd_store SET seq=seq+1;
  INSERT INTO syncd_history(id, title, body, state, due_at, created_at, updated_at, extra, origin, reason, at)
    SELECT id, title, body, state, due_at, created_at, updated_at, extra, 'local', 'replaced', (CAST((julianday('now')-2440587.5)*86400000.0+0.5 AS INTEGER)*1000) FROM syncd_replaced AS was
    WHERE CASE WHEN was.id=NEW.id THEN NOT (was.title IS NEW.title AND was.body IS NEW.body AND was.state IS NEW.state AND was.due_at IS NEW.due_at AND was.created_at IS NEW.created_at AND was.updated_at IS NEW.updated_at AND was.extra IS NEW.extra)
      ELSE NOT EXISTS(SELECT 1 FROM projects WHERE projects.id=was.id) END;
  INSERT INTO syncd_journal(id, seq, operation, since)
    SELECT was.id, seq, 'delete', (CAST((julianday('now')-2440587.5)*86400000.0+0.5 AS INTEGER)*1000) FROM syncd_replaced AS was, syncd_store
    WHERE was.id<>NEW.id AND NOT EXISTS(SELECT 1 FROM projects WHERE projects.id=was.id)
    ON CONFLICT(id) DO UPDATE SET seq=excluded.seq, operation=excluded.operation;
END;
CREATE TRIGGER syncd_stamping AFTER INSERT ON projects
  WHEN (NEW.created_at IS NULL OR (NEW.updated_at IS NULL OR (NEW.updated_at<=max(coalesce((SELECT max(updated_at) FROM syncd_history WHERE id=NEW.id), (-1<<63)),
      coalesce((SELECT updated_at FROM syncd_replaced WHERE id=NEW.id), (-1<<63)),
      coalesce((SELECT max(local_updated_at) FROM syncd_base
        WHERE remote IN (SELECT key FROM syncd_remote) AND id=NEW.id), (-1<<63)))
    AND NOT EXISTS(SELECT 1 FROM syncd_history AS was WHERE was.id=NEW.id
      AND was.updated_at=NEW.updated_at AND was.title IS NEW.title AND was.body IS NEW.body AND was.state IS NEW.state AND was.due_at IS NEW.due_at AND was.created_at IS NEW.created_at AND was.updated_at IS NEW.updated_at AND was.extra IS NEW.extra)
    AND NOT EXISTS(SELECT 1 FROM syncd_replaced AS was WHERE was.id=NEW.id
      AND was.title IS NEW.title AND was.body IS NEW.body AND was.state IS NEW.state AND was.due_at IS NEW.due_at AND was.created_at IS NEW.created_at AND was.updated_at IS NEW.updated_at AND was.extra IS NEW.extra)))) AND (SELECT applying FROM syncd_store)=0
BEGIN
  UPDATE syncd_store SET applying=1;
  UPDATE projects
    SET created_at=coalesce(NEW.created_at, (CAST((julianday('now')-2440587.5)*86400000.0+0.5 AS INTEGER)*1000)),
      updated_at=CASE WHEN (NEW.updated_at IS NULL OR (NEW.updated_at<=max(coalesce((SELECT max(updated_at) FROM syncd_history WHERE id=NEW.id), (-1<<63)),
      coalesce((SELECT updated_at FROM syncd_replaced WHERE id=NEW.id), (-1<<63)),
      coalesce((SELECT max(local_updated_at) FROM syncd_base
        WHERE remote IN (SELECT key FROM syncd_remote) AND id=NEW.id), (-1<<63)))
    AND NOT EXISTS(SELECT 1 FROM syncd_history AS was WHERE was.id=NEW.id
      AND was.updated_at=NEW.updated_at AND was.title IS NEW.title AND was.body IS NEW.body AND was.state IS NEW.state AND was.due_at IS NEW.due_at AND was.created_at IS NEW.created_at AND was.updated_at IS NEW.updated_at AND was.extra IS NEW.extra)
    AND NOT EXISTS(SELECT 1 FROM syncd_replaced AS was WHERE was.id=NEW.id
      AND was.title IS NEW.title AND was.body IS NEW.body AND was.state IS NEW.state AND was.due_at IS NEW.due_at AND was.created_at IS NEW.created_at AND was.updated_at IS NEW.updated_at AND was.extra IS NEW.extra))) THEN CASE WHEN max(coalesce((SELECT max(updated_at) FROM syncd_history WHERE id=NEW.id), (-1<<63)),
      coalesce((SELECT updated_at FROM syncd_replaced WHERE id=NEW.id), (-1<<63)),
      coalesce((SELECT max(local_updated_at) FROM syncd_base
        WHERE remote IN (SELECT key FROM syncd_remote) AND id=NEW.id), (-1<<63)))<9223372036854775807 THEN max((CAST((julianday('now')-2440587.5)*86400000.0+0.5 AS INTEGER)*1000), max(coalesce((SELECT max(updated_at) FROM syncd_history WHERE id=NEW.id), (-1<<63)),
      coalesce((SELECT updated_at FROM syncd_replaced WHERE id=NEW.id), (-1<<63)),
      coalesce((SELECT max(local_updated_at) FROM syncd_base
        WHERE remote IN (SELECT key FROM syncd_remote) AND id=NEW.id), (-1<<63)))+1)
            ELSE (CAST((julianday('now')-2440587.5)*86400000.0+0.5 AS INTEGER)*1000) END ELSE updated_at END
    WHERE id=NEW.id;
  UPDATE syncd_store SET applying=0;
END;
CREATE TRIGGER syncd_updating BEFORE UPDATE ON projects
  WHEN (NEW.id IS NOT OLD.id OR NEW.rowid<>OLD.rowid) AND (SELECT applying FROM syncd_store)=0
BEGIN
  DELETE FROM syncd_replaced;
  INSERT INTO syncd_replaced(id, title, body, state, due_at, created_at, updated_at, extra)
    SELECT id, title, body, state, due_at, created_at, updated_at, extra FROM projects
    WHERE (id=NEW.id OR rowid=NEW.rowid) AND rowid<>OLD.rowid;
END;
CREATE TRIGGER syncd_updated AFTER UPDATE ON projects
  WHEN NOT (NEW.id IS OLD.id AND OLD.title IS NEW.title AND OLD.body IS NEW.body AND OLD.state IS NEW.state AND OLD.due_at IS NEW.due_at AND OLD.created_at IS NEW.created_at AND OLD.updated_at IS NEW.updated_at AND OLD.extra IS NEW.extra) AND (SELECT applying FROM syncd_store)=0
BEGIN
  INSERT INTO syncd_history(id, title, body, state, due_at, created_at, updated_at, extra, origin, reason, at)
    VALUES(OLD.id, OLD.title, OLD.body, OLD.state, OLD.due_at, OLD.created_at, OLD.updated_at, OLD.extra, 'local',
      CASE WHEN NEW.id IS OLD.id THEN 'edited' ELSE 'deleted' END, (CAST((julianday('now')-2440587.5)*86400000.0+0.5 AS INTEGER)*1000));
  UPDATE syncd_store SET applying=1, seq=seq+1;
  UPDATE projects
    SET created_at=coalesce(NEW.created_at, OLD.created_at, (CAST((julianday('now')-2440587.5)*86400000.0+0.5 AS INTEGER)*1000)),
      updated_at=CASE WHEN NEW.updated_at>OLD.updated_at AND NOT EXISTS(SELECT 1 FROM syncd_history AS was WHERE was.id=NEW.id
          AND was.updated_at=NEW.updated_at AND NOT (was.title IS NEW.title AND was.body IS NEW.body AND was.state IS NEW.state AND was.due_at IS NEW.due_at AND was.created_at IS NEW.created_at AND was.updated_at IS NEW.updated_at AND was.extra IS NEW.extra))
          THEN updated_at
        WHEN NEW.id IS NOT OLD.id
          THEN max(coalesce(updated_at, (-1<<63)), CASE WHEN OLD.updated_at<9223372036854775807 THEN max((CAST((julianday('now')-2440587.5)*86400000.0+0.5 AS INTEGER)*1000), OLD.updated_at+1)
            ELSE (CAST((julianday('now')-2440587.5)*86400000.0+0.5 AS INTEGER)*1000) END)
        WHEN EXISTS(SELECT 1 FROM syncd_history AS was WHERE was.id=NEW.id
          AND was.updated_at=CASE WHEN OLD.updated_at<9223372036854775807 THEN max((CAST((julianday('now')-2440587.5)*86400000.0+0.5 AS INTEGER)*1000), OLD.updated_at+1)
            ELSE (CAST((julianday('now')-2440587.5)*86400000.0+0.5 AS INTEGER)*1000) END AND NOT (was.title IS NEW.title AND was.body IS NEW.body AND was.state IS NEW.state AND was.due_at IS NEW.due_at AND was.created_at IS NEW.created_at AND was.updated_at IS NEW.updated_at AND was.extra IS NEW.extra)) THEN CASE WHEN max(coalesce((SELECT max(updated_at) FROM syncd_history WHERE id=NEW.id), (-1<<63)),
      coalesce((SELECT updated_at FROM syncd_replaced WHERE id=NEW.id), (-1<<63)),
      coalesce((SELECT max(local_updated_at) FROM syncd_base
        WHERE remote IN (SELECT key FROM syncd_remote) AND id=NEW.id), (-1<<63)))<9223372036854775807 THEN max((CAST((julianday('now')-2440587.5)*86400000.0+0.5 AS INTEGER)*1000), max(coalesce((SELECT max(updated_at) FROM syncd_history WHERE id=NEW.id), (-1<<63)),
      coalesce((SELECT updated_at FROM syncd_replaced WHERE id=NEW.id), (-1<<63)),
      coalesce((SELECT max(local_updated_at) FROM syncd_base
        WHERE remote IN (SELECT key FROM syncd_remote) AND id=NEW.id), (-1<<63)))+1)
            ELSE (CAST((julianday('now')-2440587.5)*86400000.0+0.5 AS INTEGER)*1000) END
        ELSE CASE WHEN OLD.updated_at<9223372036854775807 THEN max((CAST((julianday('now')-2440587.5)*86400000.0+0.5 AS INTEGER)*1000), OLD.updated_at+1)
            ELSE (CAST((julianday('now')-2440587.5)*86400000.0+0.5 AS INTEGER)*1000) END END
    WHERE id=NEW.id AND (NEW.created_at IS NULL OR NEW.updated_at IS NULL
      OR NEW.updated_at<=OLD.updated_at OR EXISTS(SELECT 1 FROM syncd_history AS was WHERE was.id=NEW.id
          AND was.updated_at=NEW.updated_at AND NOT (was.title IS NEW.title AND was.body IS NEW.body AND was.state IS NEW.state AND was.due_at IS NEW.due_at AND was.created_at IS NEW.created_at AND was.updated_at IS NEW.updated_at AND was.extra IS NEW.extra)));
  UPDATE syncd_store SET applying=0;
  INSERT INTO syncd_journal(id, seq, operation, since)
    SELECT NEW.id, seq, 'put', (CAST((julianday('now')-2440587.5)*86400000.0+0.5 AS INTEGER)*1000) FROM syncd_store WHERE true
    ON CONFLICT(id) DO UPDATE SET seq=excluded.seq, operation=excluded.operation;
END;
CREATE TRIGGER syncd_renamed AFTER UPDATE ON projects
  WHEN (NEW.id IS NOT OLD.id OR NEW.rowid<>OLD.rowid) AND (SELECT applying FROM syncd_store)=0
BEGIN
  UPDATE syncd_store SET seq=seq+1;
  INSERT INTO syncd_history(id, title, body, state, due_at, created_at, updated_at, extra, origin, reason, at)
    SELECT id, title, body, state, due_at, created_at, updated_at, extra, 'local', 'replaced', (CAST((julianday('now')-2440587.5)*86400000.0+0.5 AS INTEGER)*1000) FROM syncd_replaced AS was
    WHERE CASE WHEN was.id=NEW.id THEN NOT (was.title IS NEW.title AND was.body IS NEW.body AND was.state IS NEW.state AND was.due_at IS NEW.due_at AND was.created_at IS NEW.created_at AND was.updated_at IS NEW.updated_at AND was.extra IS NEW.extra)
      ELSE NOT EXISTS(SELECT 1 FROM projects WHERE projects.id=was.id) END;
  INSERT INTO syncd_journal(id, seq, operation, since)
    SELECT was.id, seq, 'delete', (CAST((julianday('now')-2440587.5)*86400000.0+0.5 AS INTEGER)*1000) FROM syncd_replaced AS was, syncd_store
    WHERE was.id<>NEW.id AND NOT EXISTS(SELECT 1 FROM projects WHERE projects.id=was.id)
    ON CONFLICT(id) DO UPDATE SET seq=excluded.seq, operation=excluded.operation;
  UPDATE syncd_store SET applying=1;
  UPDATE projects
    SET updated_at=CASE WHEN max(coalesce(updated_at, (-1<<63)), max(coalesce((SELECT max(updated_at) FROM syncd_history WHERE id=NEW.id), (-1<<63)),
      coalesce((SELECT updated_at FROM syncd_replaced WHERE id=NEW.id), (-1<<63)),
      coalesce((SELECT max(local_updated_at) FROM syncd_base
        WHERE remote IN (SELECT key FROM syncd_remote) AND id=NEW.id), (-1<<63))))<9223372036854775807 THEN max((CAST((julianday('now')-2440587.5)*86400000.0+0.5 AS INTEGER)*1000), max(coalesce(updated_at, (-1<<63)), max(coalesce((SELECT max(updated_at) FROM syncd_history WHERE id=NEW.id), (-1<<63)),
      coalesce((SELECT updated_at FROM syncd_replaced WHERE id=NEW.id), (-1<<63)),
      coalesce((SELECT max(local_updated_at) FROM syncd_base
        WHERE remote IN (SELECT key FROM syncd_remote) AND id=NEW.id), (-1<<63))))+1)
            ELSE (CAST((julianday('now')-2440587.5)*86400000.0+0.5 AS INTEGER)*1000) END
    WHERE id=NEW.id AND NEW.id IS NOT OLD.id
      AND coalesce(updated_at, (-1<<63))<=max(coalesce((SELECT max(updated_at) FROM syncd_history WHERE id=NEW.id), (-1<<63)),
      coalesce((SELECT updated_at FROM syncd_replaced WHERE id=NEW.id), (-1<<63)),
      coalesce((SELECT max(local_updated_at) FROM syncd_base
        WHERE remote IN (SELECT key FROM syncd_remote) AND id=NEW.id), (-1<<63)));
  UPDATE syncd_store SET applying=0;
  INSERT INTO syncd_journal(id, seq, operation, since)
    SELECT OLD.id, seq, 'delete', (CAST((julianday('now')-2440587.5)*86400000.0+0.5 AS INTEGER)*1000) FROM syncd_store WHERE NOT EXISTS(SELECT 1 FROM projects WHERE projects.id=OLD.id)
    ON CONFLICT(id) DO UPDATE SET seq=excluded.seq, operation=excluded.operation;
END;
CREATE TRIGGER syncd_deleted AFTER DELETE ON projects WHEN (SELECT applying FROM syncd_store)=0
BEGIN
  INSERT INTO syncd_history(id, title, body, state, due_at, created_at, updated_at, extra, origin, reason, at)
    VALUES(OLD.id, OLD.title, OLD.body, OLD.state, OLD.due_at, OLD.created_at, OLD.updated_at, OLD.extra, 'local', 'deleted', (CAST((julianday('now')-2440587.5)*86400000.0+0.5 AS INTEGER)*1000));
  UPDATE syncd_store SET seq=seq+1;
  DELETE FROM syncd_replaced WHERE id=OLD.id;
  INSERT INTO syncd_journal(id, seq, operation, since)
    SELECT OLD.id, seq, 'delete', (CAST((julianday('now')-2440587.5)*86400000.0+0.5 AS INTEGER)*1000) FROM syncd_store WHERE true
    ON CONFLICT(id) DO UPDATE SET seq=excluded.seq, operation=excluded.operation;
END;
CREATE TRIGGER syncd_bounded AFTER INSERT ON syncd_history
  WHEN (SELECT count(*) FROM syncd_history WHERE id=NEW.id)>200
BEGIN
  DELETE FROM syncd_history WHERE id=NEW.id AND origin=NEW.origin
    AND version<=(SELECT version FROM syncd_history WHERE id=NEW.id AND origin=NEW.origin
      ORDER BY version DESC LIMIT 1 OFFSET 200)
    AND NOT (syncd_history.origin='local' AND EXISTS(SELECT 1 FROM syncd_base
      WHERE remote IN (SELECT key FROM syncd_remote) AND syncd_base.id=syncd_history.id
        AND local_updated_at=syncd_history.updated_at));
END;
COMMIT;
PRAGMA application_id=1398361667;
PRAGMA user_version=1;
