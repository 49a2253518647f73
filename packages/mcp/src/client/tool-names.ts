/** The name that a model calls each of a server's tools by: `prefix_name`, in letters that all servers of models take. */
export function toolNames(given: readonly string[], prefix = ''): ReadonlyMap<string, string> {
  const wanted = [...new Set(given)].map((name) => {
    const full = prefix === '' ? name : `${prefix}_${name}`
    const spelt = toSpelling(full)
    return { name, spelt, isPlain: spelt === full }
  })
  // Who needs no other spelling keeps its name, whatever comes before it.
  const taken = new Set(wanted.filter(({ isPlain }) => isPlain).map(({ spelt }) => spelt))
  const names = new Map<string, string>()
  for (const { name, spelt, isPlain } of wanted) {
    let unique = spelt
    // A server may call a tool as another one would be marked.
    for (let mark = name; !isPlain && taken.has(unique); mark += ' ') unique = withMark(spelt, mark)
    taken.add(unique)
    names.set(name, unique)
  }
  return names
}

const longest = 64

function toSpelling(name: string): string {
  const spelt = name.replace(/[^a-zA-Z0-9_-]+/g, '_')
  if (spelt.replace(/_/g, '') === '') return withMark('tool', name)
  // A name that objects inherit is one that somebody's record will stumble over.
  if (spelt in {}) return `${spelt}_`
  return spelt.length > longest ? withMark(spelt, name) : spelt
}

/** The mark depends on the name alone: it stays when other tools come and go. */
function withMark(spelt: string, name: string): string {
  const mark = hash(name)
  return `${spelt.slice(0, longest - 1 - mark.length)}_${mark}`
}

/** FNV-1a, 32 bits. */
function hash(text: string): string {
  let value = 0x811c9dc5
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  return (value >>> 0).toString(36)
}
