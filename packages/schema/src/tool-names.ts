/**
 * Returns a unique name for each of another program's tools, by the tool's original name. A name has the form
 * `prefix_name`, at most 64 characters, and only characters that all model servers accept.
 */
export function toolNames(given: readonly string[], prefix = ''): ReadonlyMap<string, string> {
  const wanted = [...new Set(given)].map((name) => {
    const full = prefix === '' ? name : `${prefix}_${name}`
    const spelling = toSpelling(full)
    return { name, spelling, isPlain: spelling === full }
  })
  // Names that need no change take precedence, regardless of their order.
  const taken = new Set(wanted.filter(({ isPlain }) => isPlain).map(({ spelling }) => spelling))
  const names = new Map<string, string>()
  for (const { name, spelling, isPlain } of wanted) {
    let unique = spelling
    // Another tool may already have the name with the suffix.
    for (let suffix = name; !isPlain && taken.has(unique); suffix += ' ')
      unique = withSuffix(spelling, suffix)
    taken.add(unique)
    names.set(name, unique)
  }
  return names
}

const longest = 64

function toSpelling(name: string): string {
  const spelling = name.replace(/[^a-zA-Z0-9_-]+/g, '_')
  if (spelling.replace(/_/g, '') === '') return withSuffix('tool', name)
  // A name that every object inherits would break lookups in plain objects.
  if (spelling in {}) return `${spelling}_`
  return spelling.length > longest ? withSuffix(spelling, name) : spelling
}

/**
 * Adds a hash of the name as a suffix. The hash depends only on the name, so it does not change when other tools are
 * added or removed.
 */
function withSuffix(spelling: string, name: string): string {
  const suffix = hash(name)
  return `${spelling.slice(0, longest - 1 - suffix.length)}_${suffix}`
}

/** Returns a hash in base 36 (FNV-1a, 32 bits). */
function hash(text: string): string {
  let value = 0x811c9dc5
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  return (value >>> 0).toString(36)
}
