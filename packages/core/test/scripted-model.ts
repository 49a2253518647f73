import type { ChatModel, ModelReply, ModelRequest } from '../src/words/model.js'
import { wireCall } from './chunks.js'

/** One prepared answer: words, calls as `[name, arguments, id]`, a reply, or what makes one. */
export type Said =
  | string
  | readonly (readonly [name: string, args?: unknown, id?: string])[]
  | ModelReply
  | ((request: ModelRequest) => ModelReply | Promise<ModelReply>)

export interface ScriptedModel extends ChatModel {
  /** What it was asked, the messages as they were then. */
  readonly requests: readonly ModelRequest[]
}

/** A model that answers from a script, without a server. */
export function scriptedModel(script: readonly Said[], name = 'm'): ScriptedModel {
  const requests: ModelRequest[] = []
  return {
    name,
    requests,
    async complete(request) {
      const said = script[requests.length] ?? 'The script is over.'
      requests.push({ ...request, messages: [...request.messages] })
      return typeof said === 'function' ? said(request) : toReply(said, requests.length)
    },
  }
}

function toReply(said: Exclude<Said, (request: ModelRequest) => unknown>, turn: number): ModelReply {
  if (typeof said === 'string')
    return { message: { role: 'assistant', content: said }, finishReason: 'stop', tokens }
  if ('message' in said) return said
  const calls = said.map(([name, args = {}, id = `call_${turn}_${name}`]) =>
    wireCall(id, name, typeof args === 'string' ? args : JSON.stringify(args)),
  )
  const message = { role: 'assistant', content: null, tool_calls: calls } as const
  return { message, finishReason: 'tool_calls', tokens }
}

const tokens = { inputTokens: 10, outputTokens: 5, totalTokens: 15 }
