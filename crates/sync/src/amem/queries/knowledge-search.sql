-- Notes with a tag, or with a text in their title or content; without either, all of them.
-- :tag =
-- :text =
SELECT notes.id, title, status, confidence, updated, notes.tags, worked, failed
FROM notes LEFT JOIN outcomes ON outcomes.note = notes.id
WHERE (:tag IS NULL OR notes.id IN (SELECT note FROM tags WHERE tag = :tag))
  AND (:text IS NULL OR instr(lower(title), lower(:text)) > 0 OR instr(lower(content), lower(:text)) > 0)
ORDER BY status = 'deprecated', updated DESC, notes.id
