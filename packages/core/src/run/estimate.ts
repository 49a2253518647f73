// Estimates of tokens, corrected by what servers report.

import { toUtf8 } from '../bytes.js'
import { listOf, onceFor } from '../json.js'
import {
  type ContentPart,
  callsOf,
  isTextPart,
  type Message,
  type MessageMedia,
  mediaOf,
  type ToolDefinition,
  textOf,
} from '../types/message.js'
import type { ChatModel, ModelRequest } from '../types/model.js'
import type { TokenUsage } from '../usage.js'

/** Estimates the tokens of a request and its reply, for servers that do not report them. */
export function estimateTokens(
  asked: readonly Message[],
  answer: Message,
  tools: readonly ToolDefinition[] = [],
): TokenUsage {
  const inputTokens = estimateMessages(asked) + estimateTools(tools)
  const outputTokens = estimateMessages([answer])
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens }
}

/** Estimates the tokens of messages. Counts each message once and caches the count. */
export function estimateMessages(messages: readonly Message[]): number {
  return sumOf(messages.map(tokensOf))
}

const tokensOf = /* @__PURE__ */ onceFor((message: Message) => {
  const texts = [textOf(message.content), ...calledIn(message)]
  return frame + estimateTokenCount(texts.join('\n')) + picturesIn(message)
})

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0)
}

/** Estimates the tokens of the images and files in a message. */
export function picturesIn(message: Message): number {
  const parts = listOf(message.content).filter((part) => !isTextPart(part as ContentPart)) as object[]
  const shown = mediaOf(message).filter(({ show }) => show)
  return sumOf([...parts.map((part) => filesOfParts.get(part)), ...shown].map(tokensOfFile))
}

function tokensOfFile(file: MessageMedia | undefined): number {
  const pixels = Number(file?.width) * Number(file?.height)
  // Servers shrink larger images. An image of unknown size counts as 1000 x 750.
  return pixels > 0 ? Math.min(Math.max(pixels / 750, 85), 1600) : 1000
}

/** The file that each content part of a request was created from. */
export const filesOfParts = new WeakMap<object, MessageMedia>()

export function estimateTools(tools: readonly ToolDefinition[]): number {
  return sumOf(tools.map(tokensOfTool))
}

const tokensOfTool = /* @__PURE__ */ onceFor((tool: ToolDefinition) =>
  estimateTokenCount(JSON.stringify(tool.function)),
)

/** The context windows in tokens, as servers reported them when they rejected a request. */
export const windows = new WeakMap<ChatModel, number>()

/** The token counts that a model's server has reported, and the correction derived from them. */
const reportsOf = /* @__PURE__ */ onceFor((_model: ChatModel) => ({
  /** The number of tokens that the server counts per estimated token. */
  ratio: 1,
  estimated: 0,
  reported: 0,
  /** The number of reports that grew in proportion to the estimate. Negative after a report that fell instead. */
  grown: 0,
}))

export function ratioOf(model: ChatModel): number {
  return reportsOf(model).ratio
}

/**
 * Corrects later estimates for a model by the input tokens that its server has reported. A report that includes a
 * cached count is complete. Any other report below half the estimate may omit cached tokens, so it applies only after
 * earlier reports have grown in proportion to their estimates. If reports without a cached count have fallen while the
 * estimates grew, such reports no longer lower the estimates.
 */
export function learnRatio(
  model: ChatModel,
  estimated: number,
  { inputTokens: reported = 0, cachedInputTokens }: Partial<TokenUsage> = {},
): void {
  const ratio = reported / estimated
  // A report that is far from the estimate does not count the same tokens.
  if (!(ratio > 0.05 && ratio < 4)) return
  const known = reportsOf(model)
  const isWhole = cachedInputTokens !== undefined
  const added = estimated - known.estimated
  const slope = (reported - known.reported) / added / ratio
  // After a small addition, a changed report proves nothing.
  if (!isWhole && (added < 0 || added > estimated / 9)) {
    if (added > 0 && slope < 0) known.grown = Math.min(known.grown, 0) - 4
    else if (added > 0 && slope > 0.5 && slope < 1.5) known.grown += 1
    Object.assign(known, { estimated, reported })
  }
  if (!isWhole && known.grown < 0) known.ratio = Math.max(known.ratio, ratio, 1)
  else if (isWhole || ratio > 0.5 || known.grown > 2) known.ratio = ratio
}

/**
 * Returns a number of tokens that a request's input almost never exceeds: half its bytes, or the estimate if that is
 * higher. Only rare scripts, emoji and long runs of digits may exceed it.
 */
export function mostInputTokens(request: ModelRequest, model: ChatModel): number {
  const { messages, tools, hostedTools, settings } = request
  const others = JSON.stringify([hostedTools, settings])
  let bytes = toUtf8(others).byteLength
  let pictures = 0
  for (const message of messages) {
    bytes += bytesOf(message)
    pictures += picturesIn(message)
  }
  for (const tool of tools) bytes += bytesOfTool(tool)
  const estimated = estimateMessages(messages) + estimateTools(tools) + estimateTokenCount(others)
  // Servers count up to twice as many tokens for a large image.
  return Math.ceil(Math.max(bytes / 2 + 2 * pictures, estimated * ratioOf(model)))
}

/** The number of UTF-8 bytes of a message, without its files. */
const bytesOf = /* @__PURE__ */ onceFor((message: Message) => {
  const { media: _, ...rest } = message
  return toUtf8(JSON.stringify({ ...rest, content: textOf(message.content) })).byteLength
})

const bytesOfTool = /* @__PURE__ */ onceFor((tool: ToolDefinition) => toUtf8(JSON.stringify(tool)).byteLength)

/** Returns each call in a message as text: its name and arguments. */
export function calledIn(message: Message): readonly string[] {
  return callsOf(message).map((call) => `${call.function.name} ${call.function.arguments}`)
}

/** The tokens for the role and delimiters of a message. */
const frame = 4

/** Estimates the tokens of a string. Servers count fewer for emoji, and for languages without spaces. */
export function estimateTokenCount(text: string): number {
  return isPlain.test(text) ? countPlain(text) : (text.match(likelyTokens)?.length ?? 0)
}

/** Matches one token: a CJK character, an emoji, or a part of a word, number or run of symbols. */
const likelyTokens =
  /[\u2e80-\ud7ff\uf900-\uffef\p{Extended_Pictographic}]|[a-z]{1,8}|[\p{L}\p{M}]{1,4}|\d{1,3}|[^\s\p{L}\d]{1,6}/giu

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters of one byte.
const isPlain = /^[\x00-\x7f]*$/

/** Counts ASCII text as `likelyTokens` does, at a tenth of the cost. */
function countPlain(text: string): number {
  let count = 0
  let kind = 0
  let left = 0
  for (let at = 0; at < text.length; at++) {
    const next = kinds[text.charCodeAt(at)] as number
    if (next === 0) left = 0
    else if (next === kind && left > 0) left -= 1
    else {
      count += 1
      left = next - 1
    }
    kind = next
  }
  return count
}

/**
 * For each ASCII character, how many characters of its kind (letters, digits, symbols) count as one token. 0 for white
 * space.
 */
const kinds = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code)
  if (/\s/.test(character)) return 0
  if (/\d/.test(character)) return 3
  return /[a-z]/i.test(character) ? 8 : 6
})
