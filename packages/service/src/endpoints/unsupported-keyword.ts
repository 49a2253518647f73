import { isRecord } from '../json.js'
import { isChecked, isPlainPattern } from '../json-schema.js'

/** Returns the first schema keyword that replies are not checked against. Undefined if there is none. */
export function findUnsupportedKeyword(schema: unknown, depth = 0): string | undefined {
  if (!isRecord(schema)) return undefined
  if (depth > 30) return 'more than 30 levels'
  for (const [keyword, inner] of Object.entries(schema)) {
    if (!isChecked(keyword) && !silent.has(keyword)) return keyword
    if (keyword === 'pattern' && !isPlainPattern(inner)) return 'pattern'
    const isMap = keyword === 'properties' || keyword === '$defs' || keyword === 'definitions'
    const parts = isMap && isRecord(inner) ? Object.values(inner) : Array.isArray(inner) ? inner : [inner]
    const holdsSchemas = isMap || schemaKeywords.has(keyword)
    const found = holdsSchemas
      ? parts.map((part) => findUnsupportedKeyword(part, depth + 1)).find(Boolean)
      : undefined
    if (found !== undefined) return found
  }
  return undefined
}

const schemaKeywords = new Set(['items', 'additionalProperties', 'anyOf', 'oneOf', 'allOf'])
const silent = new Set(
  '$ref $schema $id $defs definitions $comment title description default examples format deprecated readOnly writeOnly nullable'.split(
    ' ',
  ),
)
