// The transcript is the wire format: its names are the interface's, and unknown fields from a server are kept.

/** The model's request to run one tool. */
export interface ToolCall {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; readonly arguments: string }
  readonly [further: string]: unknown
}

/** One part of a message's content; text parts carry `text`. */
export interface ContentPart {
  readonly type: string
  readonly text?: string
  readonly [further: string]: unknown
}

export type Content = string | readonly ContentPart[] | null

/** Marks of a message in a stored conversation. Servers do not get them. */
interface Marked {
  /**
   * The untrusted source of the text. A reply has it if the server's own tools or search added content. In a session,
   * the last message of a tainted run has it, and so does each message before one that was sent to the run. It taints
   * each run over these messages. Remove it from messages that clients send.
   */
  readonly taintedBy?: string
  /** The files of the message, which are not part of its content. Remove them from messages that clients send. */
  readonly media?: readonly MessageMedia[]
}

/** An image, audio or other file in a message. Each request with the message names it, and may show it. */
export interface MessageMedia {
  /** The id of the artifact. */
  readonly artifact?: string
  /** The https URL of a file that is not fetched. */
  readonly url?: string
  /** The media type, for the line that names the file; `size` is in bytes. Absent if the message's text names the file. */
  readonly mediaType?: string
  readonly size?: number
  /** In pixels, for an image with known size. Used to estimate its tokens. */
  readonly width?: number
  readonly height?: number
  /** Whether other people wrote it. Runs with the message count as having read untrusted text. */
  readonly untrusted?: true
  /** The limit that the file would have exceeded. The file was not stored. */
  readonly limit?: string
  /** `true`: an image, shown to models with vision. An object: shown in its place. Absent: named only. */
  readonly show?: true | ShownPart
}

/** The message part that contained a file. */
export interface ShownPart extends FilePlace {
  /** The part without the bytes. */
  readonly part: ContentPart
  /** The index of the part in the content. */
  readonly at: number
}

/** The place of a file in a part of a message. */
export interface FilePlace {
  /** The names of the fields that lead to its text. */
  readonly path: readonly string[]
  /** The text before the base64, such as `data:image/png;base64,`. */
  readonly prefix: string
}

/**
 * Fields with files: `image_url`, `input_audio`, `file` and `audio` of OpenAI's interface, `images` (OpenRouter),
 * `inline_data` in both spellings (Gemini), `source` (Anthropic), and what these contain.
 */
export const fileFields: readonly string[] = [
  ...['images', 'image', 'image_url', 'input_audio', 'audio', 'file', 'inline_data', 'inlineData', 'source'],
  ...['url', 'data', 'file_data', 'b64_json'],
]

export interface SystemMessage extends Marked {
  readonly role: 'system'
  readonly content: string
}

/** Instructions of the application, as newer models of OpenAI name them. Sent unchanged. */
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
  /** True when an abort or a time limit cut the text off. This field is not sent to servers. */
  readonly incomplete?: boolean
  /**
   * The server and model that sent this message, if it has fields that only this server accepts. Not sent to servers.
   */
  readonly server?: string
  /**
   * The text in which the model wrote this message's calls, and its notation. Sent only to servers that reject the
   * calls.
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

/** `tool_choice` as sent. */
export type WireToolChoice =
  | 'auto'
  | 'none'
  | 'required'
  | { readonly type: 'function'; readonly function: { readonly name: string } }

/** Whether a message has instructions of the application. */
export function isInstruction({ role }: Pick<Message, 'role'>): boolean {
  return role === 'system' || role === 'developer'
}

/** Returns the text of a message's content. Text parts are joined; without content it is `''`. */
export function textOf(content: Content | undefined): string {
  if (typeof content === 'string') return content
  return content?.map(({ text }) => (typeof text === 'string' ? text : '')).join('') ?? ''
}

export function isTextPart({ type }: ContentPart): boolean {
  return type === 'text'
}

/** Returns a message's files. Ignores a field with this name that a server added. */
export function mediaOf({ media }: Pick<Message, 'media'>): readonly MessageMedia[] {
  return Array.isArray(media) ? media.filter(isMedia) : []
}

function isMedia(one: unknown): boolean {
  const { artifact, url, mediaType, show = true }: Partial<MessageMedia> = Object(one)
  const isShown = show === true || Array.isArray(Object(show).path)
  return isShown && typeof (artifact ?? url ?? mediaType) === 'string'
}

/** Returns the name of a file in text for the model: its id or URL, with its type and size. */
export function nameOf({ artifact, url, mediaType, size, untrusted, limit }: MessageMedia): string {
  if (url !== undefined) return url
  const mark = untrusted ? 'untrusted, ' : ''
  if (limit === undefined) return `${artifact} (${mark}${mediaType}, ${size} bytes)`
  return `(${mediaType}, ${size} bytes: not kept, the limit ${limit} is reached)`
}

/** Returns the line that names a message's files in requests, to append to its text; `''` without files. */
export function fileLineOf(message: Pick<Message, 'content' | 'media'>): string {
  const named = mediaOf(message).filter(({ url, mediaType }) => url ?? mediaType)
  if (named.length === 0) return ''
  const names = [...new Set(named.map(nameOf))].join(', ')
  // Text for the model.
  return `${textOf(message.content).trim() === '' ? '' : '\n\n'}Attached: ${names}`
}

/** Returns a message's tool calls, `[]` if there are none. */
export function callsOf(message: Message | undefined): readonly ToolCall[] {
  return message?.role === 'assistant' ? (message.tool_calls ?? []) : []
}

/** Whether every call has its result, and every result its call. */
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

/** Adds a note as the last message, or to a last user message: some servers reject two user messages in a row. */
export function withNote(messages: readonly Message[], note: string): readonly Message[] {
  const last = messages.at(-1)
  if (last?.role !== 'user') return [...messages, { role: 'user', content: note }]
  return messages.with(-1, { ...last, content: withText(last.content, `\n\n${note}`) })
}

/** Appends text to a message's content. */
export function withText(content: UserMessage['content'], text: string): UserMessage['content'] {
  return typeof content === 'string' ? content + text : [...content, { type: 'text', text }]
}

/** The kinds of content that messages of a role may have. */
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
  if (typeof content === 'string') return true
  if (content === null || content === undefined) return kinds.includes('null')
  if (!Array.isArray(content) || !kinds.includes('an array of parts')) return false
  return content.every((part) => typeof Object(part).type === 'string')
}

/** Whether a value calls a function, with arguments that are text. */
export function callsFunction(call: unknown): boolean {
  const { name, arguments: text } = Object(Object(call).function)
  return typeof name === 'string' && typeof text === 'string'
}

/** Whether a value is the message of a reply. Call ids may be missing: they are set later. */
export function isReplyMessage(message: unknown): boolean {
  const { role, content, tool_calls: calls } = Object(message)
  const areCalls = !calls || (Array.isArray(calls) && calls.every(callsFunction))
  return role === 'assistant' && isContent(content, contents.assistant) && areCalls
}

/** Fields that turn a tool's progress into a part of the application, as declared by `dataParts`. */
export interface DataPart {
  readonly type: 'data-part'
  /** The name of the part. */
  readonly part: string
  /** A later part with the same name and id replaces this one. */
  readonly id?: string
  /** Whether a page shows the part without storing it. */
  readonly transient?: boolean
}
