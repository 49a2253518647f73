import type { AnyTool } from '@capstan/core'
import { estimateTokenCount } from '@capstan/core/internal'
import type { Examined } from './rule.js'
import { type SchemaPart, schemaParts } from './schema-part.js'
import { zodParts } from './zod-part.js'

/** A tool as rules look at it. */
export function examine(tool: AnyTool): Examined {
  const { name, description, parameters } = tool.definition.function
  const parts = schemaParts(parameters)
  const shown = byPath(parts)
  return {
    tool,
    name,
    description,
    parts,
    shownAt: (path) => shown.get(path) ?? [],
    zod: zodParts(tool.parameters),
    tokens: estimateTokenCount(JSON.stringify(tool.definition)),
  }
}

function byPath(parts: readonly SchemaPart[]): ReadonlyMap<string, SchemaPart['schema'][]> {
  const found = new Map<string, SchemaPart['schema'][]>()
  for (const { path, schema } of parts) {
    const known = found.get(path)
    if (known) known.push(schema)
    else found.set(path, [schema])
  }
  return found
}
