// Servers refuse a prompt that is longer than their context window in many words, and with any status.

import { CapstanError, isCapstanError } from '../errors.js'
import type { ModelFeature } from '../model/protocol.js'
import { callsOf, textOf } from '../types/message.js'

/**
 * Gives refusals of a prompt that is too long the code `context_length_exceeded`, with the numbers that the server
 * tells. An empty reply to a prompt that fills the window counts as one. Reads the option `contextTokens`.
 */
export function contextRefusals(): ModelFeature {
  return {
    name: 'context-refusals',
    options: {
      contextTokens: [
        'a whole number from 512 up',
        (value) => Number.isSafeInteger(value) && Number(value) >= 512,
      ],
    },
    wrapSend(send, { options }) {
      let { contextTokens } = options
      return (...request) =>
        send(...request).then(
          (reply) => {
            const { message, tokens } = reply
            const promptTokens = tokens?.inputTokens ?? 0
            const isEmpty = !(textOf(message.content).trim() || message.refusal || callsOf(message)[0])
            if (!isEmpty || !contextTokens || promptTokens < 0.99 * contextTokens) return reply
            throw refused('The reply is empty: the prompt fills the context window. Shorten it.', {
              contextTokens,
              promptTokens,
            })
          },
          (error) => {
            const numbers = isCapstanError(error) && readRefusal(error)
            if (!numbers) throw error
            contextTokens = options.contextTokens ?? numbers.contextTokens ?? contextTokens
            throw refused(error.message, { ...error.evidence, ...numbers }, error.status)
          },
        )
    },
  }
}

function refused(message: string, evidence: CapstanError['evidence'], status?: number): CapstanError {
  return new CapstanError('context_length_exceeded', message, { evidence, status })
}

/** What is too long, in the words of servers, and that it is. */
const prompt =
  '(context.(window|length|size|limit)|\\bprompt\\b|inputs?.? (token|length|is|must)|(message|model) (token|length)|the messages)'
const isTooLong =
  '(exceed|too (long|many)|(long|larg|great)er |only supports|n_keep|be <|have less|should be|reduce the length)'

const refusing = RegExp(
  `${prompt}[^.;:]{0,60}${isTooLong}|${isTooLong}[^.;:]{0,60}${prompt}|max\\w* (context|prompt|model) length|too many tokens:|max size: \\d+ tokens`,
)

/** Refusals of the rate of requests, the length of a reply, or that of one field. */
const refusingOthers = /per.(min|day)|rate.?limit|quota|\d (bytes|char)|(?<![+dr\d] .?|:["'])\bmax_\w*tokens/

const windowIn =
  /(?<=(?:n_ctx|(?:context|model|max\w*)(?: \w+){0,2} (?:length|size|window|tokens)|limit(?: of|:| is)|allowed|less than|up to|(?:[<>]|u003e)=? )[^\w.]*(?:(?:is|of|only) )*)\b\d+\b(?! \+)|\d+(?= max)/
const promptIn = /\d+(?= \+| .?input| (?:tokens )?(?:in|of|from) (?:the|your|text))/

interface Numbers {
  readonly contextTokens?: number
  readonly promptTokens?: number
}

/** Returns the numbers of a refusal. Undefined for another error. */
function readRefusal({ code, message, evidence }: CapstanError): Numbers | undefined {
  const text = `${code} ${message} ${evidence?.body}`
    .toLowerCase()
    // Escapes of JSON within JSON, what validators quote of the request, separators of thousands.
    .replace(/input\\*["'] ?:.*|\\+n?|(?<=\d)[,_\u00a0\u202f](?=\d{3}\b)/gs, '')
  if (refusingOthers.test(text) || !refusing.test(text)) return undefined
  const contextTokens = Number(windowIn.exec(text)) || undefined
  // Not a time in seconds.
  const isPrompt = (count: number) => contextTokens && count > contextTokens && count < 1e9
  const promptTokens =
    Number(promptIn.exec(text)) ||
    text
      .match(/(?<![\w.-])\d+(?![\w-])/g)
      ?.map(Number)
      .find(isPrompt)
  return { ...(contextTokens && { contextTokens }), ...(promptTokens && { promptTokens }) }
}
