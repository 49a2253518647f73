// Some servers send `null` where the protocol requires that a field is absent, or send types of content that the
// protocol does not define. The SDK's client rejects the entire message, so messages are repaired before the client
// gets them.
import { isRecord, toJsonText, tryJson } from '@capstan/core/internal'
import { nestedTooDeep, withoutNullKeywords } from '@capstan/schema/imported-schema'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'

type Fields = Readonly<Record<string, unknown>>

/** Wraps a transport so that it repairs received messages. */
export function repairing<T extends Transport>(transport: T): T {
  let handler: Transport['onmessage']
  Object.defineProperty(transport, 'onmessage', {
    configurable: true,
    enumerable: true,
    get: () => handler,
    set(given: Transport['onmessage']) {
      handler = given && ((message, extra) => given(repairMessage(message) as JSONRPCMessage, extra))
    },
  })
  return transport
}

/** Repairs a message: removes fields that are `null`, and replaces invalid tools and content with valid ones. */
export function repairMessage(message: unknown): unknown {
  const repaired = withoutNulls(message, 0)
  const result = isRecord(repaired) ? repaired.result : undefined
  return isRecord(result) ? { ...Object(repaired), result: repairResult(result) } : repaired
}

function repairResult(result: Fields): Fields {
  if (Array.isArray(result.tools)) return { ...result, tools: result.tools.map(repairTool) }
  const { content, structuredContent, ...others } = result
  if (content === undefined && structuredContent === undefined) return result
  const blocks = [content ?? []].flat().filter((block) => block !== null)
  // In the 2025 protocol, structured content must be an object. In the 2026 protocol, recognizable by `resultType`, it
  // can be any value.
  const isKept = isRecord(structuredContent) || 'resultType' in result
  if (!isKept && structuredContent !== undefined && blocks.length === 0)
    blocks.push(toJsonText(structuredContent))
  return { ...others, content: blocks.map(repairBlock), ...(isKept ? { structuredContent } : {}) }
}

/** Fields that contain the server's own JSON, in which `null` is kept. */
const opaque: ReadonlySet<string> = new Set(['structuredContent', 'inputSchema', 'outputSchema', 'data'])
/** Maximum nesting depth to repair. The protocol's own fields are not nested more deeply. */
const maxDepth = 10

function withoutNulls(value: unknown, depth: number): unknown {
  if (depth > maxDepth) return value
  if (Array.isArray(value)) return value.map((one) => withoutNulls(one, depth + 1))
  if (!isRecord(value)) return value
  const kept = Object.entries(value).filter(([, part]) => part !== null)
  return Object.fromEntries(
    kept.map(([name, part]) => [name, opaque.has(name) ? part : withoutNulls(part, depth + 1)]),
  )
}

/** The field of a tool's `_meta` with the reason why it cannot be used. */
const skipMark = 'capstan/skipped'

/** Returns the reason why a listed tool cannot be used. Undefined if it can. */
export function skipReason({ _meta }: { readonly _meta?: Fields | undefined }): string | undefined {
  const reason = _meta?.[skipMark]
  if (typeof reason === 'string') return reason
  const { visibility } = isRecord(_meta?.ui) ? _meta.ui : {}
  const isOfApp = Array.isArray(visibility) && visibility.includes('app') && !visibility.includes('model')
  return isOfApp ? "It is only for the server's own app, not for models." : undefined
}

/** Returns a tool's known fields. For an invalid tool, returns its name and the reason why it cannot be used. */
function repairTool(listed: unknown): Fields {
  const tool = isRecord(listed) ? listed : {}
  const { name, title, description, annotations, outputSchema, _meta } = tool
  const inputSchema = schemaOf(tool.inputSchema)
  const reason = isRecord(listed) ? faultOf({ ...tool, inputSchema }) : 'It is not an object.'
  if (reason !== undefined)
    return {
      name: typeof name === 'string' ? name : '',
      inputSchema: { type: 'object' },
      _meta: { [skipMark]: reason },
    }
  const output = schemaOf(outputSchema)
  const isUsable = schemaFault(output) === undefined
  return {
    ...{ name, inputSchema },
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(annotations === undefined ? {} : { annotations }),
    ...(isRecord(_meta) ? { _meta } : {}),
    // If the output schema cannot be used, results are not checked.
    ...(isUsable ? { outputSchema: output } : {}),
  }
}

function schemaOf(schema: unknown): unknown {
  return isRecord(schema) && !nestedTooDeep(schema) ? withoutNullKeywords(schema) : schema
}

function faultOf({ name, title, description, annotations = {}, inputSchema }: Fields): string | undefined {
  if (typeof name !== 'string' || name === '') return 'It has no name.'
  if (!isText(title)) return 'Its title is not a string.'
  if (!isText(description)) return 'Its description is not a string.'
  if (!isRecord(annotations)) return 'Its annotations are not an object.'
  const isHint = ([field, hint]: readonly [string, unknown]) =>
    field === 'title' ? isText(hint) : !field.endsWith('Hint') || typeof hint === 'boolean'
  const wrong = Object.entries(annotations).find((entry) => !isHint(entry))
  return wrong ? `Its annotation ${wrong[0]} has the wrong type.` : schemaFault(inputSchema)
}

function schemaFault(schema: unknown): string | undefined {
  if (!isRecord(schema)) return 'It has no inputSchema that is an object.'
  if (nestedTooDeep(schema)) return 'Its inputSchema is nested too deeply.'
  const { type, properties = {}, required = [], $schema } = schema
  if (type !== 'object') return 'Its inputSchema does not have the type "object".'
  if (!isRecord(properties)) return 'In its inputSchema, `properties` is not an object.'
  if (!Array.isArray(required) || !required.every((name) => typeof name === 'string'))
    return 'In its inputSchema, `required` is not an array of strings.'
  return isText($schema) ? undefined : 'In its inputSchema, `$schema` is not a string.'
}

function isText(value: unknown): boolean {
  return value === undefined || typeof value === 'string'
}

/** Returns a block with only the known fields. A block type that the protocol does not define becomes JSON text. */
function repairBlock(block: unknown): Fields {
  if (typeof block === 'string') return toTextBlock(block)
  const { type, text, data, mimeType, uri, name = uri, resource } = Object(block) as Fields
  if (type === 'text' && typeof text === 'string') return toTextBlock(text)
  if ((type === 'image' || type === 'audio') && typeof data === 'string' && typeof mimeType === 'string')
    return { type, data, mimeType }
  if (type === 'resource_link' && typeof uri === 'string' && typeof name === 'string')
    return { type, uri, name }
  const embedded = type === 'resource' && repairResource(resource)
  return embedded ? { type, resource: embedded } : toTextBlock(shortJson(block))
}

function toTextBlock(text: string): Fields {
  return { type: 'text', text }
}

function repairResource(resource: unknown): Fields | undefined {
  const { uri, mimeType, text, blob } = Object(resource) as Fields
  if (typeof uri !== 'string' || !isText(mimeType)) return undefined
  const type = mimeType === undefined ? {} : { mimeType }
  if (typeof blob === 'string') return { uri, ...type, blob }
  return typeof text === 'string' ? { uri, ...type, text } : undefined
}

/** Returns a value as JSON, cut to 2 kB. */
function shortJson(value: unknown): string {
  const bytes = new TextEncoder().encode(toJsonText(value))
  if (bytes.byteLength <= maxJsonBytes) return new TextDecoder().decode(bytes)
  // The cut may have split a character.
  return `${new TextDecoder().decode(bytes.subarray(0, maxJsonBytes - 3)).replace(/\ufffd$/, '')}…`
}

const maxJsonBytes = 2048

/**
 * Repairs a message's JSON-RPC envelope so that the SDK's client accepts it. Text that needs no repair stays unchanged.
 */
export function repairEnvelope(text: string): string {
  if (!mayNeedRepair.test(text)) return text
  const given = tryJson(text)
  if (Array.isArray(given)) return JSON.stringify(given.map(repairOne))
  return isRecord(given) ? JSON.stringify(repairOne(given)) : text
}

/** Matches an envelope field that may need repair: one that is null or not an object. */
const mayNeedRepair = /"(?:_meta|error|result)"\s*:\s*(?![\s{])|"(?:params|method)"\s*:\s*null/

function repairOne(message: unknown): unknown {
  if (!isRecord(message)) return message
  const fields = Object.entries(message).filter(([, value]) => value !== null)
  const { result, params, error, ...others } = Object.fromEntries(fields)
  if (error !== undefined) return { ...others, error: isRecord(error) ? error : failure(String(error)) }
  if (!('result' in message))
    return params === undefined ? others : { ...others, params: withoutNullMeta(params) }
  if (!isRecord(result)) return { ...others, error: failure('The result is not an object.') }
  const repaired = withoutNullMeta(result)
  const isValid = repaired._meta === undefined || isRecord(repaired._meta)
  return {
    ...others,
    ...(isValid ? { result: repaired } : { error: failure('Its _meta is not an object.') }),
  }
}

function withoutNullMeta(value: unknown): Fields {
  const { _meta, ...others } = Object(value) as Fields
  return _meta === null ? others : (value as Fields)
}

function failure(message: string): Fields {
  return { code: notAResult, message }
}

/** The error code for an invalid result. It is outside the range that servers may use, -32768 to -32000. */
export const notAResult = -31_999

/** The error code for a stream that ended before the result. */
export const streamEnded = -31_998
