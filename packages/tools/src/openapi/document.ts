import { CapstanError } from '@capstan/core'
import { isRecord, tryJson } from '@capstan/core/internal'
import { resolveRef } from '@capstan/schema/resolve-ref'

/** An object anywhere in an OpenAPI document. */
export type Part = Readonly<Record<string, unknown>>

export interface OpenApiDocument {
  readonly root: Part
  readonly version: '3.0' | '3.1'
}

/** Thrown for an operation that cannot become a tool. The message is the reason. */
export class Unusable extends Error {}

/**
 * Reads an OpenAPI 3.0 or 3.1 document, as an object or JSON text.
 * @throws CapstanError `unsupported` for a different OpenAPI version, `invalid_request` for anything else
 */
export function readDocument(given: unknown): OpenApiDocument {
  const root = typeof given === 'string' ? tryJson(given) : given
  if (!isRecord(root)) {
    const what = typeof given === 'string' ? 'not a JSON object' : 'not an object'
    const message = `The document is ${what}. Pass openapiTools an OpenAPI document as an object or JSON text; parse YAML first.`
    throw new CapstanError('invalid_request', message)
  }
  const named = root.openapi ?? root.swagger
  const [, version] = /^(3\.[01])(\.|$)/.exec(String(root.openapi)) ?? []
  if (version === '3.0' || version === '3.1') return { root, version }
  if (typeof named === 'string') {
    const message = `The document's OpenAPI version is ${JSON.stringify(named.slice(0, 20))}. Convert it to OpenAPI 3.0 or 3.1.`
    throw new CapstanError('unsupported', message, { evidence: { version: named.slice(0, 20) } })
  }
  const message =
    'The object is not an OpenAPI document: it has no "openapi" field. Pass an OpenAPI 3.0 or 3.1 document.'
  throw new CapstanError('invalid_request', message)
}

/**
 * Returns a part of the document. If it is a reference, returns its target.
 * @throws Unusable for a reference that has no target, is circular, or leads out of the document
 */
export function resolvePart(part: unknown, document: OpenApiDocument): Part {
  let found = part
  for (let hops = 0; hops < maxHops; hops++) {
    if (!isRecord(found)) throw new Unusable('One of its parts is not an object.')
    if (typeof found.$ref !== 'string') return found
    found = targetOf(found.$ref, document)
  }
  throw new Unusable('Its references are circular.')
}

const maxHops = 20

/**
 * Returns the target of a reference.
 * @throws Unusable for a reference that has no target, or leads out of the document
 */
export function targetOf($ref: string, { root }: OpenApiDocument): unknown {
  const shown = JSON.stringify($ref.slice(0, 200))
  if (!$ref.startsWith('#'))
    throw new Unusable(
      `It refers to ${shown}, which is outside the document and is never fetched. Bundle the document.`,
    )
  const target = resolveRef($ref, root)
  if (target === undefined) throw new Unusable(`It refers to ${shown}, which does not exist.`)
  return target
}

/** Returns the value if it is an array. Otherwise returns an empty array. */
export function partsOf(list: unknown): readonly unknown[] {
  return Array.isArray(list) ? list : []
}
