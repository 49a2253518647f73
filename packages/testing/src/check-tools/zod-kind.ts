import { isRecord } from '@capstan/core/internal'

export type Fields = Readonly<Record<string, unknown>>

/** What a zod schema says of itself, in zod 4 and mini or in zod 3; undefined for what is none. */
export function zodDef(schema: unknown): Fields | undefined {
  const { _zod, _def } = Object(schema) as { _zod?: { def?: unknown }; _def?: unknown }
  const def = _zod?.def ?? _def
  return isRecord(def) && (typeof def.type === 'string' || typeof def.typeName === 'string') ? def : undefined
}

/**
 * `string`, `object`, `default` ... in the words of zod 4. Code that stands before or behind a schema is told apart:
 * `preprocess`, `transform`, `refinement`, and `piped` for a schema behind a transform.
 */
export function zodKind(def: Fields): string {
  const { typeName, type, effect } = def
  if (typeof typeName !== 'string') return type === 'pipe' ? pipeKind(def) : String(type)
  if (typeName === 'ZodEffects') return isRecord(effect) ? String(effect.type) : 'refinement'
  const kind = typeName.replace(/^Zod/, '').toLowerCase()
  if (kind === 'pipeline') return pipeKind(def)
  return kind === 'discriminatedunion' ? 'union' : kind
}

function pipeKind(def: Fields): string {
  const [before, after] = [def.in, def.out].map((schema) => zodDef(schema) ?? {})
  if (before?.type === 'transform') return 'preprocess'
  if (after?.type === 'transform' || 'reverseTransform' in def) return 'transform'
  return before && ['transform', 'piped'].includes(zodKind(before)) ? 'piped' : 'pipe'
}
