import { CapstanError } from '@capstan/core'
import { isRecord } from '@capstan/core/internal'
import { blockReason } from '@capstan/guarded-fetch/address-policy'
import { type BodyPlan, readBody } from './body-plan.js'
import { type OpenApiDocument, type Part, partsOf, resolvePart, Unusable } from './document.js'
import type { ListedOperation } from './operations.js'
import { isApiAddress } from './options.js'
import { type Schema, SchemaReader } from './schema.js'
import type { Style } from './styles.js'

/** Maps a tool's arguments to a request. */
export interface RequestPlan {
  readonly method: string
  /** The server's URL, to which `path` is appended. */
  readonly server: URL
  /** The path, with a placeholder such as `{name}` for each value. */
  readonly path: string
  /** The arguments, by the names that the model uses. */
  readonly arguments: ReadonlyMap<string, Argument>
  readonly body: BodyPlan | undefined
  /** Alternative sets of security schemes. A request needs all the schemes in one of the sets. */
  readonly security: readonly Part[]
  /** The JSON Schema of the tool's arguments. */
  readonly schema: Schema
  /** Whether the application sets a parameter itself. If so, the model must not set it. */
  isTaken(place: string, name: string): boolean
}

/** Where an argument goes in the request: a parameter, a field of the body, or the entire body. */
export type Argument =
  | Parameter
  | { readonly in: 'field'; readonly name: string }
  | { readonly in: 'body'; readonly name: string }

export interface Parameter {
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  readonly name: string
  readonly style: Style
  /** The media type in which to write the value. Absent if `style` determines how. */
  readonly content?: string
}

/** The data that is shared by the plans of all operations. */
export interface PlanScope extends Pick<RequestPlan, 'isTaken'> {
  readonly document: OpenApiDocument
  /** Returns the API's URL. @throws CapstanError `invalid_request` if the document does not contain a usable URL */
  api(): URL
}

/**
 * Plans which values a call sends, and where.
 * @throws Unusable for an operation that cannot be called
 */
export function readPlan({ operation, part, item }: ListedOperation, scope: PlanScope): RequestPlan {
  const { document } = scope
  const { method, path } = operation
  if (!/^\/[^?#]*$/.test(path))
    throw new Unusable('Its path does not start with "/", or contains "?" or "#".')
  const reader = new SchemaReader(document)
  const entries = new Map<string, Entry>()
  for (const one of parametersOf(part, item, path, scope)) {
    const name = freeName(one.parameter.name, one.parameter.in, entries)
    entries.set(name, { argument: one.parameter, ...toProperty(one, reader) })
  }
  // Bodies have no meaning for GET and HEAD, and `fetch` refuses to send them.
  const hasBody = method !== 'GET' && method !== 'HEAD' && part.requestBody !== undefined
  const body = hasBody ? readBody(resolvePart(part.requestBody, document), reader, document) : undefined
  for (const [name, entry] of bodyEntries(body, entries)) entries.set(name, entry)
  const all = [...entries]
  return {
    method,
    isTaken: scope.isTaken,
    server: serverOf(part, item, scope),
    path,
    arguments: new Map(all.map(([name, { argument }]) => [name, argument])),
    body,
    security: partsOf(part.security ?? document.root.security).filter(isRecord),
    schema: {
      type: 'object',
      properties: Object.fromEntries(all.map(([name, { schema }]) => [name, schema])),
      required: all.flatMap(([name, { isRequired }]) => (isRequired ? [name] : [])),
      additionalProperties: false,
    },
  }
}

/** An argument, with its property in the tool's schema. */
interface Entry {
  readonly argument: Argument
  readonly schema: Schema | boolean
  readonly isRequired: boolean
}

/**
 * Returns the arguments for the body: one per field. If a field's name is invalid or is also the name of a parameter,
 * returns one argument for the entire body.
 */
function bodyEntries(
  body: BodyPlan | undefined,
  parameters: ReadonlyMap<string, Entry>,
): readonly (readonly [name: string, entry: Entry])[] {
  if (!body) return []
  const { fields, schema, isRequired } = body
  const names = Object.keys(fields?.properties ?? {})
  const areFree = names.every((name) => isPropertyName(name) && !parameters.has(name))
  if (fields && areFree)
    return names.map((name) => [
      name,
      {
        argument: { in: 'field', name },
        schema: fields.properties[name] ?? {},
        isRequired: fields.required.includes(name),
      },
    ])
  const name = freeName('body', 'request', parameters)
  return [[name, { argument: { in: 'body', name }, schema, isRequired }]]
}

/** Whether all model servers accept this name for a property of a tool's schema. */
function isPropertyName(name: string): boolean {
  return /^[\w.-]{1,64}$/.test(name) && !(name in {})
}

function freeName(wanted: string, place: string, taken: ReadonlyMap<string, unknown>): string {
  const plain = wanted.replace(/[^\w.-]+/g, '_').replace(/(?!^)_$/, '')
  const spelled = isPropertyName(plain) ? plain : `${place}_${plain}`.slice(0, 64)
  let free = spelled
  for (let count = 1; taken.has(free); count++)
    free = `${place}_${spelled}`.slice(0, 60) + (count > 1 ? `_${count}` : '')
  return free
}

/** A parameter, with the object in the document that describes it. */
interface DescribedParameter {
  readonly parameter: Parameter
  readonly part: Part
}

/**
 * Returns the parameters of an operation and of its path; the operation's take precedence. Omits parameters that the
 * standard, the connection or the application sets.
 */
function parametersOf(
  part: Part,
  item: Part,
  path: string,
  { document, isTaken }: PlanScope,
): readonly DescribedParameter[] {
  const found = new Map<string, DescribedParameter>()
  for (const given of [...partsOf(item.parameters), ...partsOf(part.parameters)]) {
    const described = resolvePart(given, document)
    const parameter = readParameter(described)
    const { in: place, name } = parameter
    const isIgnored = place === 'header' && ownHeaders.test(name)
    const isElsewhere = place === 'path' && !path.includes(`{${name}}`)
    if (!isIgnored && !isElsewhere && !isTaken(place, name))
      found.set(`${place} ${name}`, { parameter, part: described })
  }
  for (const [, name = ''] of path.matchAll(/\{([^{}]*)\}/g))
    if (!found.has(`path ${name}`))
      found.set(`path ${name}`, {
        parameter: { in: 'path', name, style: { name: 'simple', explode: false, allowReserved: false } },
        part: { schema: { type: 'string' } },
      })
  return [...found.values()]
}

/**
 * Matches headers that the model must not set: they belong to the connection, contain credentials, or change the
 * request's meaning.
 */
const ownHeaders =
  /^(accept|accept-encoding|authorization|connection|content-length|content-type|cookie|expect|host|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|x-http-method.*|x-method-override|x-(original|rewrite)-url)$/i

const styles = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
}

function readParameter({ in: place, name, style, explode, allowReserved, content }: Part): Parameter {
  if (typeof name !== 'string' || name === '') throw new Unusable('It has a parameter without a name.')
  const wrong = (problem: string) => new Unusable(`Its parameter ${JSON.stringify(name)} ${problem}.`)
  if (place !== 'path' && place !== 'query' && place !== 'header' && place !== 'cookie')
    throw wrong('is not in path, query, header or cookie')
  const [usual = ''] = styles[place]
  const used = style ?? usual
  if (typeof used !== 'string' || !styles[place].includes(used))
    throw wrong(`does not have one of the styles ${styles[place].join(', ')}`)
  const [mediaType] = Object.keys(Object(content))
  return {
    in: place,
    name,
    style: {
      name: used,
      explode: typeof explode === 'boolean' ? explode : used === 'form',
      allowReserved: allowReserved === true && place === 'query',
    },
    ...(mediaType === undefined ? {} : { content: mediaType }),
  }
}

/**
 * Returns a parameter's property in the schema. Excludes values that the parameter's style cannot express: null, an
 * empty path value, and an empty array for a required parameter.
 */
function toProperty({ parameter, part }: DescribedParameter, reader: SchemaReader): Omit<Entry, 'argument'> {
  const { in: place, content } = parameter
  const isRequired = place === 'path' || part.required === true
  const given = content === undefined ? part.schema : Object(Object(part.content)[content]).schema
  const read = reader.read(given ?? {}, { isNullable: content !== undefined })
  const { description = read.description, example } = part
  const notes = {
    ...(typeof description === 'string' ? { description } : {}),
    ...(example === undefined || read.examples !== undefined ? {} : { examples: [example] }),
  }
  const least = isRequired && content === undefined ? notEmpty(read, place) : {}
  return { schema: { ...read, ...notes, ...least }, isRequired }
}

function notEmpty({ type, minItems, minLength }: Schema, place: string): Schema {
  if (type === 'array' && minItems === undefined) return { minItems: 1 }
  return type === 'string' && minLength === undefined && place === 'path' ? { minLength: 1 } : {}
}

/**
 * Returns the URL of the operation's server. Default: the path's server, or else the API's.
 * @throws Unusable if the URL is not an http(s) URL
 */
function serverOf(part: Part, item: Part, { api }: PlanScope): URL {
  const own = partsOf(part.servers)[0] ?? partsOf(item.servers)[0]
  return own === undefined ? api() : toAddress(own, URL.canParse(addressOf(own)) ? undefined : api())
}

/**
 * Returns the API's URL: `baseURL`, or the document's first server.
 * @throws CapstanError `invalid_request` if the document has no usable server; the application must then pass `baseURL`
 */
export function apiAddress({ root }: OpenApiDocument, baseURL: URL | undefined): URL {
  if (baseURL) return baseURL
  const fail = (problem: string) =>
    new CapstanError(
      'invalid_request',
      `The document's server ${problem}. Pass the URL to openapiTools as baseURL.`,
      {
        evidence: { option: 'baseURL' },
      },
    )
  try {
    const [server] = partsOf(root.servers)
    const address = addressOf(server)
    if (!URL.canParse(address)) throw fail(`${JSON.stringify(address.slice(0, 200))} is not a complete URL`)
    const url = toAddress(server, undefined)
    const reason = blockReason(url, { anyPublic: 'http' })
    if (reason !== undefined) throw fail(`cannot be called: ${reason}`)
    return url
  } catch (error) {
    throw error instanceof Unusable ? fail(`cannot be used. ${error.message.slice(0, -1)}`) : error
  }
}

function toAddress(server: unknown, base: URL | undefined): URL {
  const address = addressOf(server)
  const url = URL.canParse(address, base) ? new URL(address, base) : undefined
  if (url && isApiAddress(url)) return url
  throw new Unusable(`Its server ${JSON.stringify(address.slice(0, 200))} is not an http(s) URL.`)
}

/**
 * Returns a server's URL, with its variables replaced by their defaults.
 * @throws Unusable for a variable without a default
 */
function addressOf(server: unknown): string {
  const { url = '/', variables } = Object(server) as Part
  return String(url).replace(/\{([^{}]*)\}/g, (_, name: string) => {
    const variable: unknown = Object.hasOwn(Object(variables), name) ? Object(variables)[name] : undefined
    const { default: value } = Object(variable) as Part
    if (typeof value !== 'string') throw new Unusable(`Its server has no default for "${name}".`)
    return value
  })
}
