import { CapstanError } from '@capstan/core'
import { isRecord, suggest } from '@capstan/core/internal'
import { type OpenApiDocument, type Part, partsOf, resolvePart, Unusable } from './document.js'
import type { OpenApiOperation, OpenApiToolsOptions, SkippedOperation } from './options.js'

/** An operation, with the objects in the document that describe it. */
export interface ListedOperation {
  readonly operation: OpenApiOperation
  /** The operation's id, or its method and path. Unique within the document. */
  readonly key: string
  readonly part: Part
  /** The path item that contains the operation. */
  readonly item: Part
}

interface Operations {
  readonly listed: readonly ListedOperation[]
  readonly skipped: readonly SkippedOperation[]
}

/** Lists a document's operations. `skipped` contains the paths that cannot be read. */
export function listOperations(document: OpenApiDocument): Operations {
  const skipped: SkippedOperation[] = []
  const listed = new Map<string, ListedOperation>()
  for (const [path, given] of Object.entries(Object(document.root.paths))) {
    if (path.startsWith('x-')) continue
    try {
      const item = resolvePart(given, document)
      for (const method of methods) {
        const part = item[method.toLowerCase()]
        if (!isRecord(part)) continue
        const operation = describe(method, path, part)
        const key = keyOf(operation, listed)
        listed.set(key, { operation, key, part, item })
      }
    } catch (error) {
      if (!(error instanceof Unusable)) throw error
      skipped.push({ name: path, reason: error.message })
    }
  }
  return { listed: [...listed.values()], skipped }
}

/** The supported methods. TRACE is not supported, because its response would contain the request's credentials. */
const methods = ['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH']

function describe(method: string, path: string, part: Part): OpenApiOperation {
  const texts = (['summary', 'description'] as const).flatMap((name) => {
    const text = part[name]
    return typeof text === 'string' && text !== '' ? [[name, text] as const] : []
  })
  const { operationId, tags, deprecated } = part
  return {
    ...(typeof operationId === 'string' && operationId !== '' ? { id: operationId } : {}),
    method,
    path,
    ...Object.fromEntries(texts),
    tags: partsOf(tags).map(String),
    deprecated: deprecated === true,
  }
}

/**
 * Returns an operation's key. If a document uses an id twice, which the standard forbids, only the first operation gets
 * the id.
 */
function keyOf({ id, method, path }: OpenApiOperation, listed: ReadonlyMap<string, unknown>): string {
  const plain = `${method.toLowerCase()}${path.replace(/[{}]/g, '')}`
  return [id, plain].find((key) => key !== undefined && !listed.has(key)) ?? `${method} ${path}`
}

/** Returns an operation's name for messages: the operation's id, or its method and path. */
export function nameOf({ id, method, path }: OpenApiOperation): string {
  return id ?? `${method} ${path}`
}

/**
 * Returns the allowed operations, in document order.
 * @throws CapstanError `invalid_tool` for an entry of `allow` that matches none
 */
export function allowedOf(
  listed: readonly ListedOperation[],
  allow: OpenApiToolsOptions['allow'],
): readonly ListedOperation[] {
  if (typeof allow === 'function') return listed.filter(({ operation }) => allow(operation) === true)
  const entries = [allow].flat()
  const allowed = new Set<ListedOperation>()
  for (const entry of entries) {
    const fitting = listed.filter(({ operation }) => fits(operation, entry))
    if (fitting.length === 0) throw fitsNothing(entry, listed)
    for (const one of fitting) allowed.add(one)
  }
  return listed.filter((one) => allowed.has(one))
}

function fits({ id, method, path }: OpenApiOperation, entry: string): boolean {
  return entry === '*' || entry === id || matches(`${method} ${path}`, entry)
}

/**
 * Whether text matches a pattern, in which `*` matches any text. Does not backtrack, so a pattern with many stars is
 * not slow.
 */
function matches(text: string, pattern: string): boolean {
  const [first = '', ...others] = pattern.split('*')
  const last = others.pop()
  if (last === undefined) return text === pattern
  if (!text.startsWith(first)) return false
  let at = first.length
  for (const piece of others) {
    const found = text.indexOf(piece, at)
    if (found < 0) return false
    at = found + piece.length
  }
  return text.length - last.length >= at && text.endsWith(last)
}

function fitsNothing(entry: string, listed: readonly ListedOperation[]): CapstanError {
  const known = listed.flatMap(({ operation: { id, method, path } }) =>
    [id ?? [], `${method} ${path}`].flat(),
  )
  const meant = suggest(entry.slice(0, 200), known)
  const some = listed.slice(0, maxShown).map(({ operation }) => nameOf(operation))
  const more = listed.length > some.length ? ` and ${listed.length - some.length} more` : ''
  const advice =
    meant === undefined ? `Its operations: ${some.join(', ') || 'none'}${more}` : `Did you mean "${meant}"?`
  const message = `In allow, "${entry.slice(0, 200)}" matches no operation in the document. ${advice.replace(/[^?]$/, '$&.')}`
  return new CapstanError('invalid_tool', message, { evidence: { name: entry.slice(0, 200) } })
}

const maxShown = 10
