import { isRecord } from '../words/record.js'

/** What a reference into the same schema leads to; undefined for one that leads nowhere, or elsewhere. */
export function partAt($ref: string, root: unknown): unknown {
  if ($ref === '#') return root
  if (!$ref.startsWith('#/')) return undefined
  const names = decodeURIComponent($ref)
    .slice(2)
    .split('/')
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
  return names.reduce<unknown>((part, name) => {
    const isThere = (isRecord(part) || Array.isArray(part)) && Object.hasOwn(part, name)
    return isThere ? (part as Readonly<Record<string, unknown>>)[name] : undefined
  }, root)
}
