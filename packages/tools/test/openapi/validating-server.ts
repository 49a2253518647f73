// A server that reads requests by an OpenAPI document and refuses what does not fit it. It shares no code with what writes
// the requests: the tables of styles are read backwards, and a validator of others judges the values.
import { Validator } from '@cfworker/json-schema'
import type { Arrived, Reply } from './start-api.js'

type Part = Readonly<Record<string, unknown>>

/** A request as the document reads it. */
export interface ReadRequest {
  readonly operationId: string
  /** Values by the place and the name of their parameter. */
  readonly parameters: Readonly<Record<string, unknown>>
  readonly body: unknown
}

/** Answers with what was read, or with 400 and the reason. */
export function validating(document: Part): (arrived: Arrived) => Reply {
  const operations = Object.entries(Object(document.paths)).flatMap(([path, given]) => {
    const item = deref(given, document)
    return ['get', 'put', 'post', 'delete', 'patch', 'head'].flatMap((method) =>
      item[method]
        ? [
            {
              path,
              method: method.toUpperCase(),
              item,
              operation: item[method] as Part,
              matcher: matcherOf(path),
            },
          ]
        : [],
    )
  })
  return (arrived) => {
    try {
      const [path] = split(arrived.url, '?')
      const fitting = operations
        .filter((one) => one.method === arrived.method && one.matcher.test(path))
        .sort((one, other) => one.path.split('{').length - other.path.split('{').length)
      for (const one of fitting) {
        const read = readRequest(one, arrived, document)
        return { body: JSON.stringify(read) }
      }
      return refuse(`no operation: ${arrived.method} ${path}`)
    } catch (error) {
      return refuse(String(error instanceof Error ? error.message : error))
    }
  }
}

function refuse(reason: string): Reply {
  return { status: 400, body: JSON.stringify({ reason }) }
}

function deref(part: unknown, document: Part): Part {
  let found = Object(part) as Part
  while (typeof found.$ref === 'string')
    found = found.$ref
      .slice(2)
      .split('/')
      .reduce<Part>(
        (at, key) => Object(at[decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~')]),
        document,
      )
  return found
}

function matcherOf(path: string): RegExp {
  const literal = (text: string) => text.replace(/[.*+?^$()[\]\\|]/g, '\\$&')
  return new RegExp(
    `^${path
      .split(/(\{[^}]*\})/)
      .map((one) => (one.startsWith('{') ? '([^/]+)' : literal(one)))
      .join('')}$`,
  )
}

interface Matched {
  readonly path: string
  readonly item: Part
  readonly operation: Part
  readonly matcher: RegExp
}

function readRequest(
  { path, item, operation, matcher }: Matched,
  arrived: Arrived,
  document: Part,
): ReadRequest {
  const [pathText, query] = split(arrived.url, '?')
  const names = [...path.matchAll(/\{([^}]*)\}/g)].map(([, name]) => name)
  const segments = matcher.exec(pathText)?.slice(1) ?? []
  const pairs = query === '' ? [] : query.split('&').map((pair) => split(pair, '='))
  const cookies = (arrived.headers.cookie ?? '')
    .split('; ')
    .filter(Boolean)
    .map((pair) => split(pair, '='))
  const described = [...list(item.parameters), ...list(operation.parameters)].map((one) =>
    deref(one, document),
  )
  const parameters: Record<string, unknown> = {}
  const used = new Set<string>()
  for (const parameter of described) {
    const name = String(parameter.name)
    const place = String(parameter.in)
    const schema = parameter.content
      ? Object(Object.values(Object(parameter.content))[0]).schema
      : parameter.schema
    const shape = toSchema(schema, document)
    const source =
      place === 'path'
        ? segments[names.indexOf(name)]
        : place === 'header'
          ? arrived.headers[name.toLowerCase()]
          : undefined
    const value = parameter.content
      ? fromContent(
          parameter,
          source ?? (place === 'cookie' ? cookies : pairs).find(([key]) => decode(key) === name)?.[1],
          place,
        )
      : place === 'query' || place === 'cookie'
        ? fromPairs(parameter, place === 'query' ? pairs : cookies, shape, used)
        : fromText(parameter, source, shape)
    if (value === undefined) {
      if (parameter.required) throw new Error(`${place} ${name} is missing`)
      continue
    }
    check(`${place} ${name}`, value, shape)
    parameters[`${place} ${name}`] = value
  }
  const body = readBody(operation, arrived, document)
  return { operationId: String(operation.operationId), parameters, body }
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function split(text: string, at: string): [string, string] {
  const index = text.indexOf(at)
  return index < 0 ? [text, ''] : [text.slice(0, index), text.slice(index + 1)]
}

function decode(text: string): string {
  return decodeURIComponent(text)
}

function fromContent(parameter: Part, source: string | undefined, place: string): unknown {
  if (source === undefined) return undefined
  const [type = ''] = Object.keys(Object(parameter.content))
  const text = place === 'header' ? source : decode(source)
  return type.includes('json') ? JSON.parse(text) : text
}

/** Reads `simple`, `label` and `matrix`. */
function fromText(parameter: Part, source: string | undefined, shape: Part): unknown {
  if (source === undefined) return undefined
  const { style = 'simple', explode = false } = parameter
  const name = String(parameter.name)
  const plain = parameter.in === 'header' ? (text: string) => text : decode
  const isList = typesOf(shape).includes('array')
  const isObject = typesOf(shape).includes('object')
  if (style === 'matrix') {
    const parts = source
      .slice(1)
      .split(';')
      .map((one) => split(one, '='))
    if (!isList && !isObject) return coerce(plain(parts[0]?.[1] ?? ''), shape)
    if (explode && isList) return parts.map(([, text]) => coerce(plain(text), itemsOf(shape)))
    if (explode) return toObject(parts, plain, shape)
    if (parts[0]?.[0] !== name) throw new Error(`matrix without ${name}`)
    return fromList((parts[0]?.[1] ?? '').split(','), plain, shape)
  }
  const text = style === 'label' ? source.slice(1) : source
  if (style === 'label' && !source.startsWith('.')) throw new Error(`label without "."`)
  if (!isList && !isObject) return coerce(plain(text), shape)
  const items = text.split(style === 'label' && explode ? '.' : ',')
  if (isObject && explode)
    return toObject(
      items.map((one) => split(one, '=')),
      plain,
      shape,
    )
  return fromList(items, plain, shape)
}

/** Reads `form`, `spaceDelimited`, `pipeDelimited` and `deepObject`. */
function fromPairs(
  parameter: Part,
  pairs: readonly [string, string][],
  shape: Part,
  used: Set<string>,
): unknown {
  const { style = 'form', explode = style === 'form' } = parameter
  const name = String(parameter.name)
  const own = pairs.filter(([key]) => decode(key) === name).map(([, text]) => text)
  const isList = typesOf(shape).includes('array')
  const isObject = typesOf(shape).includes('object')
  if (style === 'deepObject') {
    const fields = pairs.filter(([key]) => decode(key).startsWith(`${name}[`))
    if (fields.length === 0) return undefined
    return toObject(
      fields.map(([key, text]) => [decode(key).slice(name.length + 1, -1), text]),
      decode,
      shape,
      (key) => key,
    )
  }
  if (isObject && explode) {
    const known = Object.keys(Object(shape.properties))
    const fields = pairs.filter(([key]) => known.includes(decode(key)) && !used.has(decode(key)))
    return fields.length === 0 ? undefined : toObject(fields, decode, shape)
  }
  if (own.length === 0) return undefined
  if (isList && explode) return own.map((text) => coerce(decode(text), itemsOf(shape)))
  if (own.length > 1) throw new Error(`${name} comes ${own.length} times`)
  if (!isList && !isObject) return coerce(decode(own[0] ?? ''), shape)
  const delimiter = style === 'spaceDelimited' ? /%20/ : style === 'pipeDelimited' ? /%7C|\|/ : /,/
  return fromList((own[0] ?? '').split(delimiter), decode, shape)
}

function fromList(items: readonly string[], plain: (text: string) => string, shape: Part): unknown {
  if (typesOf(shape).includes('array')) return items.map((text) => coerce(plain(text), itemsOf(shape)))
  const fields: [string, string][] = []
  for (let at = 0; at + 1 < items.length; at += 2) fields.push([items[at] ?? '', items[at + 1] ?? ''])
  return toObject(fields, plain, shape)
}

function toObject(
  fields: readonly (readonly [string, string])[],
  plain: (text: string) => string,
  shape: Part,
  key = plain,
) {
  return Object.fromEntries(
    fields.map(([name, text]) => [
      key(name),
      coerce(plain(text), Object(Object(shape.properties)[key(name)])),
    ]),
  )
}

function typesOf(shape: Part): readonly unknown[] {
  return [shape.type ?? (shape.properties ? 'object' : 'string')].flat()
}

function itemsOf(shape: Part): Part {
  return Object(shape.items)
}

/** Reads a text as the first type of its schema that it can be. */
function coerce(text: string, shape: Part): unknown {
  const choices = [shape.anyOf, shape.oneOf].find(Array.isArray)
  const types = choices ? choices.flatMap((one) => typesOf(Object(one))) : typesOf(shape)
  if (types.includes('integer') && /^-?\d+$/.test(text)) return Number(text)
  if (types.includes('number') && text !== '' && Number.isFinite(Number(text))) return Number(text)
  if (types.includes('boolean') && /^(true|false)$/.test(text)) return text === 'true'
  if ((types.includes('object') || types.includes('array')) && /^[{[]/.test(text)) return JSON.parse(text)
  return text
}

function readBody(operation: Part, { headers, body, method }: Arrived, document: Part): unknown {
  const described = deref(operation.requestBody, document)
  const forms = Object(described.content) as Readonly<Record<string, Part>>
  if (!operation.requestBody || method === 'GET' || method === 'HEAD') return undefined
  const type = headers['content-type']
  if (type === undefined) {
    if (described.required) throw new Error('the body is missing')
    return undefined
  }
  const [plain = ''] = type.split(';')
  const range = Object.keys(forms).find(
    (one) => one.split(';')[0] === plain || one === '*/*' || one === `${plain.split('/')[0]}/*`,
  )
  if (range === undefined) throw new Error(`no body of the type ${plain}`)
  const { schema, encoding } = Object(forms[range]) as Part
  const shape = toSchema(schema, document)
  const value = plain.endsWith('json')
    ? JSON.parse(body.toString())
    : plain === 'application/x-www-form-urlencoded'
      ? fromForm(body.toString(), shape, Object(encoding) as Part)
      : plain === 'multipart/form-data'
        ? fromMultipart(body, type, shape)
        : plain.startsWith('text/')
          ? body.toString()
          : body.toString('base64')
  check('body', value, shape)
  return value
}

function fromForm(text: string, shape: Part, encoding: Part): unknown {
  const pairs = text === '' ? [] : text.split('&').map((pair) => split(pair.replaceAll('+', '%20'), '='))
  const fields = Object.entries(Object(shape.properties)).flatMap(([name, property]) => {
    const { style, explode } = Object(encoding[name]) as Part
    const part = Object(property) as Part
    const isWhole = style === undefined && typesOf(part).includes('object')
    const own = pairs.find(([key]) => decode(key) === name)
    const value = isWhole
      ? own && JSON.parse(decode(own[1]))
      : fromPairs(
          { name, ...(style ? { style } : {}), ...(explode === undefined ? {} : { explode }) },
          pairs,
          part,
          new Set(),
        )
    return value === undefined ? [] : [[name, value]]
  })
  return Object.fromEntries(fields)
}

function fromMultipart(body: Buffer, type: string, shape: Part): unknown {
  const [, boundary = ''] = /boundary=(.+)$/.exec(type) ?? []
  const pieces = body.toString('latin1').split(`--${boundary}`).slice(1, -1)
  const fields: Record<string, unknown> = {}
  for (const piece of pieces) {
    const [head = '', ...rest] = piece.slice(2, -2).split('\r\n\r\n')
    const content = Buffer.from(rest.join('\r\n\r\n'), 'latin1')
    const [, name = ''] = /name="([^"]*)"/.exec(head) ?? []
    const part = Object(Object(shape.properties)[name]) as Part
    const item = typesOf(part).includes('array') ? itemsOf(part) : part
    const value = head.includes('filename=')
      ? `${/Content-Type: (\S+)/.exec(head)?.[1]} ${content.length}`
      : head.includes('application/json')
        ? JSON.parse(content.toString())
        : coerce(content.toString(), item)
    if (typesOf(part).includes('array')) fields[name] = [...list(fields[name]), value]
    else fields[name] = value
  }
  return fields
}

const validators = new WeakMap<object, Validator>()

function check(what: string, value: unknown, shape: Part): void {
  const validator = validators.get(shape) ?? new Validator(structuredClone(shape) as never, '2020-12', false)
  validators.set(shape, validator)
  const { valid, errors } = validator.validate(JSON.parse(JSON.stringify(value)))
  if (!valid)
    throw new Error(
      `${what}: ${errors.map(({ instanceLocation, error }) => `${instanceLocation} ${error}`).join('; ')}`,
    )
}

const schemas = new WeakMap<object, Part>()

/** The schema as a validator takes it, with references inlined as far as values reach. In a request no field is only read. */
function toSchema(schema: unknown, document: Part): Part {
  if (typeof schema !== 'object' || schema === null) return {}
  const known = schemas.get(schema)
  if (known) return known
  const made = inline(schema, document, 0) as Part
  schemas.set(schema, made)
  return made
}

function inline(given: unknown, document: Part, level: number): unknown {
  if (Array.isArray(given)) return given.map((one) => inline(one, document, level + 1))
  if (typeof given !== 'object' || given === null) return given
  if (level > 24) return {}
  const schema: Record<string, unknown> = { ...deref(given, document) }
  const { nullable, ...others } = schema
  if (nullable === true && schema.type !== undefined) schema.type = [schema.type, 'null'].flat()
  // Where no type is named the standard leaves it open; authors mean that null may come.
  else if (nullable === true) return { anyOf: [inline(others, document, level + 1), { type: 'null' }] }
  for (const bound of ['Minimum', 'Maximum']) {
    const flag = `exclusive${bound}`
    if (schema[flag] === true) {
      schema[flag] = schema[bound.toLowerCase()]
      delete schema[bound.toLowerCase()]
    } else if (schema[flag] === false) delete schema[flag]
  }
  delete schema.example
  delete schema.discriminator
  if (schema.properties) {
    const properties = Object.entries(schema.properties as Part)
    const readOnly = properties
      .filter(([, one]) => deref(one, document).readOnly === true)
      .map(([name]) => name)
    schema.properties = Object.fromEntries(
      properties.map(([name, one]) => [
        name,
        readOnly.includes(name) ? false : inline(one, document, level + 1),
      ]),
    )
    schema.required = list(schema.required).filter((name) => !readOnly.includes(String(name)))
  }
  for (const [keyword, value] of Object.entries(schema))
    if (
      ['items', 'additionalProperties', 'not', 'allOf', 'anyOf', 'oneOf', 'if', 'then', 'else'].includes(
        keyword,
      )
    )
      schema[keyword] = inline(value, document, level + 1)
  return schema
}
