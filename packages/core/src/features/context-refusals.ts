// Servers use many different messages and statuses to reject a prompt that exceeds their context window.

import { CapstanError, isCapstanError } from '../errors.js'
import type { ModelFeature } from '../model/protocol.js'
import { isCount } from '../option-names.js'
import { callsOf, textOf } from '../types/message.js'
import type { ModelReply } from '../types/model.js'

/**
 * Sets the code `context_length_exceeded` on errors that reject a prompt as too long, and adds the numbers that the
 * server reported. An empty reply to a prompt that fills the context window also counts as a rejection. The
 * `contextTokens` option sets the size of the window.
 */
export function contextRefusals(): ModelFeature {
  return {
    name: 'context-refusals',
    options: {
      contextTokens: ['a whole number of at least 512', (value) => isCount(value, 512) && value !== Infinity],
    },
    wrapSend(send, { options }) {
      let window: unknown = options.contextTokens
      const check = (reply: ModelReply) => {
        const { message, tokens } = reply
        const isFull = Number(tokens?.inputTokens) >= 0.99 * Number(window)
        if (!isFull || textOf(message.content).trim() || callsOf(message)[0] || message.refusal) return reply
        const text = `The reply is empty: ${tokens?.inputTokens} input tokens exceed the context window of ${window}.`
        throw new CapstanError('api', text)
      }
      return (...request) => {
        const reply = send(...request)
        return (window ? reply.then(check) : reply).catch((thrown) => {
          const error = toRefusal(thrown)
          window = options.contextTokens ?? Object(error).evidence?.contextTokens ?? window
          throw error
        })
      }
    },
  }
}

/**
 * Matches the part of a server's error that names what is too long, such as the context, the prompt or the messages.
 */
const prompt =
  '(context (w|le|si|li)|\\bprompt\\b(?! cache)|input (tok|len|is)|(model|message) (tok|len)|the messages)'
const isTooLong =
  '(exceed|too long|too many(?= (\\w+ )?tok)|er than the|reached|not enough|only sup|n_keep|reduce the l)'
/** Matches rejections in Chinese: the context or input exceeds the limit, is too long, or has to be compacted. */
const inChinese =
  '下文.{0,15}(超|过长)|[超缩].{0,9}下文|(输入|prompt)(.{0,2}[超过]|.{0,15}超.{0,9})长|字数太多'

const refusing = RegExp(
  `context_\\w+_exceed|${prompt}[^.;:]{0,60}${isTooLong}|${isTooLong}[^.;:]{0,60}${prompt}|max\\w* (context|prompt|model) len|max input char|.inputs. (tok|must)|range of input|too many tokens:|max size: \\d+ tok|${inChinese}`,
)

/**
 * Matches failures for other reasons: the request rate, a timeout, the reply length, the number of images, or the length
 * of one field. A length in characters beside one in tokens is the prompt's.
 */
const refusingOthers =
  /per.(min|day)|rate.l|quota|time.?.?out|images.? (in|exc)|\d (byte|char)(?<!\d tok.*)|(?<![+dr\d] .?|:["'])\bmax_\w*tokens/
/** Captures the reply length that a request asked for. */
const replyIn = /max_\w*tokens\D*(\d+)/

/** Captures the window's size: the last number that matches, because some messages state the prompt's length first. */
const windowIn =
  /.*(?:n_ctx|length|size|window|limit(?: of|:| is| \((?=\d+ t))|allowed|less than|up to|model with|input tokens:|max_[ps]\w+|\[1,|度|(?:[<>]=?|u003e) )[^\w.]*(?:(?:is|of|only) )*(\d{3,8})\b/s
/** Like `countIn` below, finds token counts by the surrounding words, and skips statuses, codes, ids and times. */
const promptIn =
  /(?<!for )\b(?![245]\d\d\b)\d{3,8}(?= \+| .?input(?! ch)| (tokens )?(in|of|from) (the|your|text))/
const countIn =
  /(?<=(tok\w+|length|count|first|keep|given|requested|long|度)\W+(\w\w )?)\b\d{3,8}\b|\b\d{3,8}(?= tok)/g

/** Adds the code and the numbers to an error that rejects a prompt as too long. Returns other errors unchanged. */
function toRefusal(error: unknown): unknown {
  if (!isCapstanError(error)) return error
  const { code, message, evidence } = error
  const text = `${code} ${message} ${evidence?.body}`
    .toLowerCase()
    // Removes the escapes of nested JSON, what validators quote from the request, thousands separators, and what the
    // reply leaves of the window.
    .replace(/input\\*["'] ?:.*|\\+n?|(?<=\d)[,_](?=\d{3}\b)|resulting in a m.*?tok/gs, '')
  if (!refusing.test(text)) return error
  const window = Number(windowIn.exec(text)?.[1])
  const promptTokens =
    Number(promptIn.exec(text)?.[0]) ||
    text
      .match(countIn)
      ?.map(Number)
      .find((count) => count > window)
  const reply = Number(replyIn.exec(text)?.[1])
  // If the reply alone fits the window, the prompt is too long.
  if (refusingOthers.test(text) && !(reply < window && reply + Number(promptTokens) > window)) return error
  return new CapstanError('context_length_exceeded', message, {
    ...error,
    retryable: false,
    evidence: { contextTokens: window || undefined, promptTokens, ...evidence },
  })
}
