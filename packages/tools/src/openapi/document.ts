import { CapstanError } from '@capstan/core'
import { isRecord, tryJson } from '@capstan/core/internal'
import { resolveRef } from '@capstan/schema/resolve-ref'

/** An object of a document. */
export type Part = Readonly<Record<string, unknown>>

export interface OpenApiDocument {
  readonly root: Part
  readonly version: '3.0' | '3.1'
}

/** The reason why an operation cannot be a tool. */
export class Unusable extends Error {}

/**
 * Reads a document.
 * @throws CapstanError `unsupported` for an unsupported version, `invalid_request` for anything else
 */
export function readDocument(given: unknown): OpenApiDocument {
  const root = typeof given === 'string' ? tryJson(given) : given
  if (!isRecord(root)) {
    const what = typeof given === 'string' ? 'text that is not a JSON object' : 'no object'
    const message = `The document is ${what}. Give openapiTools an OpenAPI document as an object or JSON; parse YAML first.`
    throw new CapstanError('invalid_request', message)
  }
  const named = root.openapi ?? root.swagger
  const [, version] = /^(3\.[01])(\.|$)/.exec(String(root.openapi)) ?? []
  if (version === '3.0' || version === '3.1') return { root, version }
  if (typeof named === 'string') {
    const message = `The document has version ${JSON.stringify(named.slice(0, 20))}. Convert it to OpenAPI 3.0 or 3.1.`
    throw new CapstanError('unsupported', message, { evidence: { version: named.slice(0, 20) } })
  }
  const message =
    'The object is not an OpenAPI document: it has no field openapi. Pass one of version 3.0 or 3.1.'
  throw new CapstanError('invalid_request', message)
}

/**
 * Returns a part, or the part that it refers to.
 * @throws Unusable for a reference without a target, or out of the document
 */
export function resolvePart(part: unknown, document: OpenApiDocument): Part {
  let found = part
  for (let hops = 0; hops < maxHops; hops++) {
    if (!isRecord(found)) throw new Unusable('A part of it is not an object.')
    if (typeof found.$ref !== 'string') return found
    found = targetOf(found.$ref, document)
  }
  throw new Unusable('Its references lead in a circle.')
}

const maxHops = 20

/** Returns the target of a reference. @throws Unusable as `resolvePart` */
export function targetOf($ref: string, { root }: OpenApiDocument): unknown {
  const shown = JSON.stringify($ref.slice(0, 200))
  if (!$ref.startsWith('#'))
    throw new Unusable(
      `It refers to ${shown}, out of the document, which is never fetched. Bundle the document.`,
    )
  const target = resolveRef($ref, root)
  if (target === undefined) throw new Unusable(`It refers to ${shown}, which does not exist.`)
  return target
}

/** Returns the objects in an array. */
export function partsOf(list: unknown): readonly unknown[] {
  return Array.isArray(list) ? list : []
}
