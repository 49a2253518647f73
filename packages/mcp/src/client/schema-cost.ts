type Part = Readonly<Record<string, unknown>>

/** What looking at a value by a schema costs. */
export interface SchemaCost {
  /** Parts of the schema, each reference in its place: a few that lead to each other twice make more than anybody can look at. */
  readonly parts: number
  /** How many of these lead back to where they stand: each level of a value may take as many times longer. */
  readonly loops: number
}

export function schemaCost(schema: Part): SchemaCost {
  const known = new Map<object, SchemaCost>()
  const costOf = (part: unknown): SchemaCost => {
    if (typeof part !== 'object' || part === null) return nothing
    const cost = known.get(part)
    if (cost) return cost
    known.set(part, loop)
    const target = '$ref' in part ? partAt(schema, part.$ref) : undefined
    const inner = [...Object.values(part), target].map(costOf)
    const sum = inner.reduce(add, { parts: 1, loops: 0 })
    known.set(part, sum)
    return sum
  }
  return costOf(schema)
}

const nothing: SchemaCost = { parts: 0, loops: 0 }
/** Of a part that is being looked at. */
const loop: SchemaCost = { parts: 1, loops: 1 }

function add(one: SchemaCost, other: SchemaCost): SchemaCost {
  return { parts: one.parts + other.parts, loops: one.loops + other.loops }
}

/** What a reference within a schema leads to. */
function partAt(schema: Part, reference: unknown): unknown {
  if (typeof reference !== 'string' || !reference.startsWith('#')) return undefined
  const keys = reference.slice(1).split('/').slice(1)
  return keys.reduce<unknown>((part, key) => {
    const name = key.replaceAll('~1', '/').replaceAll('~0', '~')
    return typeof part === 'object' && part !== null && Object.hasOwn(part, name)
      ? (part as Part)[name]
      : undefined
  }, schema)
}
