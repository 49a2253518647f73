/**
 * Returns the target of a reference inside the schema `root`, such as `#/$defs/City`. Undefined if it has no target
 * there.
 */
export function resolveRef($ref: unknown, root: unknown): unknown {
  if ($ref === '#') return root
  if (typeof $ref !== 'string' || !$ref.startsWith('#/')) return undefined
  const names = decode($ref).slice(2).split('/')
  return names
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((part, name) => {
      const isThere = typeof part === 'object' && part !== null && Object.hasOwn(part, name)
      return isThere ? (part as Readonly<Record<string, unknown>>)[name] : undefined
    }, root)
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // Keeps an invalid escape as it is.
    return text
  }
}
