import { isString } from '../json.js'

// Messages have OpenAI's wire format, with the API's field names. Unknown fields from a server are kept.

/** The model's request to run one tool. */
export interface ToolCall {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; readonly arguments: string }
  readonly [further: string]: unknown
}

/** One part of a message's content. Text parts have `type: 'text'` and a `text`. */
export interface ContentPart {
  readonly type: string
  readonly text?: string
  readonly [further: string]: unknown
}

export type Content = string | readonly ContentPart[] | null

/** Fields that Capstan adds to messages in a stored conversation, but does not send to model servers. */
interface Marked {
  /**
   * The untrusted source of the text. Any run whose messages include this message is tainted. Capstan sets the source
   * on replies to which the server's own tools or search added content. In a session, the source is set on the last
   * message of a tainted run, and on each message before a user message that was sent to that run. Remove this field
   * from messages that clients send.
   */
  readonly taintedBy?: string
  /** The files of the message, which are not part of its content. Remove this field from messages that clients send. */
  readonly media?: readonly MessageMedia[]
}

/** An image, audio or other file in a message. Requests with the message name the file, and may contain it. */
export interface MessageMedia {
  /** The id of the artifact, if the file is stored. */
  readonly artifact?: string
  /** The https URL of a file that Capstan does not fetch. */
  readonly url?: string
  /**
   * The media type, which appears with `size` (in bytes) in the line that names the file. Absent if the message's text
   * already names the file.
   */
  readonly mediaType?: string
  readonly size?: number
  /** The image's width and height in pixels, if they are known. Used to estimate the image's tokens. */
  readonly width?: number
  readonly height?: number
  /**
   * Set if the file comes from someone other than the user. Runs with this message count as having read untrusted text.
   */
  readonly untrusted?: true
  /** The limit that the file would have exceeded. The file was therefore not stored. */
  readonly limit?: string
  /**
   * `true`: models with vision are shown the image. An object: the image is shown at its original position. Absent: the
   * file is only named.
   */
  readonly show?: true | ShownPart
}

/** The message part that originally contained a file. */
export interface ShownPart extends FilePlace {
  /** The part without the bytes. */
  readonly part: ContentPart
  /** The index of the part in the content. */
  readonly at: number
}

/** The position of a file inside a message part. */
export interface FilePlace {
  /** The field names that lead to the string with the file. */
  readonly path: readonly string[]
  /** The text before the base64, such as `data:image/png;base64,`. */
  readonly prefix: string
}

/**
 * Message fields that can contain files: `image_url`, `input_audio`, `file` and `audio` of OpenAI's API, `images`
 * (OpenRouter), `inline_data` in both spellings (Gemini), `source` (Anthropic), and the fields inside them.
 */
export const fileFields: readonly string[] = [
  ...['images', 'image', 'image_url', 'input_audio', 'audio', 'file', 'inline_data', 'inlineData', 'source'],
  ...['url', 'data', 'file_data', 'b64_json'],
]

export interface SystemMessage extends Marked {
  readonly role: 'system'
  readonly content: string
}

/** Instructions from the application, with the role name that newer OpenAI models use. Sent unchanged. */
export interface DeveloperMessage extends Marked {
  readonly role: 'developer'
  readonly content: string
}

export interface UserMessage extends Marked {
  readonly role: 'user'
  readonly content: string | readonly ContentPart[]
}

export interface AssistantMessage extends Marked {
  readonly role: 'assistant'
  readonly content: Content
  readonly tool_calls?: readonly ToolCall[]
  readonly refusal?: string | null
  /** True if an abort or a time limit cut the text off. Not sent to servers. */
  readonly incomplete?: boolean
  /** The server and model that sent this message, if it contains fields that only they accept. Not sent to servers. */
  readonly server?: string
  /**
   * The text in which the model wrote this message's calls, and the notation of that text. Sent only to servers that
   * reject real calls.
   */
  readonly textForm?: { readonly form: string; readonly text: string }
  readonly [further: string]: unknown
}

export interface ToolMessage extends Marked {
  readonly role: 'tool'
  readonly tool_call_id: string
  readonly content: string
}

export type Message = SystemMessage | DeveloperMessage | UserMessage | AssistantMessage | ToolMessage

/** A tool as offered to the model in a request. */
export interface ToolDefinition {
  readonly type: 'function'
  readonly function: {
    readonly name: string
    readonly description: string
    readonly parameters: Readonly<Record<string, unknown>>
    readonly strict?: boolean
  }
}

/** The request field `tool_choice`. */
export type WireToolChoice =
  | 'auto'
  | 'none'
  | 'required'
  | { readonly type: 'function'; readonly function: { readonly name: string } }

/** Whether a message contains instructions from the application: its role is `system` or `developer`. */
export function isInstruction({ role }: Pick<Message, 'role'>): boolean {
  return role === 'system' || role === 'developer'
}

/** Returns the text of a message's content, with its text parts joined. `''` if there is no content. */
export function textOf(content: Content | undefined): string {
  if (isString(content)) return content
  return content?.map(({ text }) => (isString(text) ? text : '')).join('') ?? ''
}

export function isTextPart({ type }: ContentPart): boolean {
  return type === 'text'
}

/** Returns a message's files. Ignores a `media` field that a server added. */
export function mediaOf({ media }: Pick<Message, 'media'>): readonly MessageMedia[] {
  return Array.isArray(media) ? media.filter(isMedia) : []
}

function isMedia(one: unknown): boolean {
  const { artifact, url, mediaType, show = true }: Partial<MessageMedia> = Object(one)
  const isShown = show === true || Array.isArray(Object(show).path)
  return isShown && isString(artifact ?? url ?? mediaType)
}

/** Returns a file's name in text for the model: its URL, or its id with type and size. */
export function nameOf({ artifact, url, mediaType, size, untrusted, limit }: MessageMedia): string {
  if (url !== undefined) return url
  const mark = untrusted ? 'untrusted, ' : ''
  if (limit === undefined) return `${artifact} (${mark}${mediaType}, ${size} bytes)`
  return `(${mediaType}, ${size} bytes; not kept: limit ${limit} reached)`
}

/** Returns the line that names a message's files, to append to the message's text in requests; `''` without files. */
export function fileLineOf(message: Pick<Message, 'content' | 'media'>): string {
  const named = mediaOf(message).filter(({ url, mediaType }) => url ?? mediaType)
  if (named.length === 0) return ''
  const names = [...new Set(named.map(nameOf))].join(', ')
  // Text for the model.
  return `${textOf(message.content).trim() === '' ? '' : '\n\n'}Attached: ${names}`
}

/** Returns a message's tool calls. `[]` if there are none. */
export function callsOf(message: Message | undefined): readonly ToolCall[] {
  return message?.role === 'assistant' ? (message.tool_calls ?? []) : []
}

/** Whether each message with calls is followed by exactly their results. */
export function isPaired(messages: readonly Message[]): boolean {
  let open = new Set<string>()
  for (const message of messages) {
    if (message.role === 'tool') {
      if (!open.delete(message.tool_call_id)) return false
      continue
    }
    if (open.size > 0) return false
    open = new Set(callsOf(message).map(({ id }) => id))
  }
  return open.size === 0
}

/** Adds a note as a user message, or to the last message if it is a user message: some servers reject two in a row. */
export function withNote(messages: readonly Message[], note: string): readonly Message[] {
  const last = messages.at(-1)
  if (last?.role !== 'user') return [...messages, { role: 'user', content: note }]
  return messages.with(-1, { ...last, content: withText(last.content, `\n\n${note}`) })
}

/** Appends text to a message's content. */
export function withText(content: UserMessage['content'], text: string): UserMessage['content'] {
  return isString(content) ? content + text : [...content, { type: 'text', text }]
}

/** The kinds of content that messages may have, by role. */
export const contents: Readonly<Record<Message['role'], readonly ('text' | 'an array of parts' | 'null')[]>> =
  {
    system: ['text'],
    developer: ['text'],
    user: ['text', 'an array of parts'],
    assistant: ['text', 'an array of parts', 'null'],
    tool: ['text'],
  }

/** Whether a value is content of one of these kinds. */
export function isContent(content: unknown, kinds: (typeof contents)['user']): boolean {
  if (isString(content)) return true
  if (content === null || content === undefined) return kinds.includes('null')
  if (!Array.isArray(content) || !kinds.includes('an array of parts')) return false
  return content.every((part) => isString(Object(part).type))
}

/** Whether a value is a function call whose name and arguments are strings. */
export function callsFunction(call: unknown): boolean {
  const { name, arguments: text } = Object(Object(call).function)
  return isString(name) && isString(text)
}

/** Whether a value is a valid reply message. Call ids may be missing, because they are set later. */
export function isReplyMessage(message: unknown): boolean {
  const { role, content, tool_calls: calls } = Object(message)
  const areCalls = !calls || (Array.isArray(calls) && calls.every(callsFunction))
  return role === 'assistant' && isContent(content, contents.assistant) && areCalls
}

/** Fields that turn a tool's progress value into one of the application's own parts, as declared by `dataParts`. */
export interface DataPart {
  readonly type: 'data-part'
  /** The part's name, as declared with `dataParts`. */
  readonly part: string
  /** A later part with the same name and id replaces this one. */
  readonly id?: string
  /** Whether a page shows the part but does not store it. Default false. */
  readonly transient?: boolean
}
