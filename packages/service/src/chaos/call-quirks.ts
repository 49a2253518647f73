import { bendChat, bendEach } from './bend.js'
import { type Call, type ChatBody, callsOf, messagesOf } from './chat-body.js'
import type { Quirk } from './quirk.js'

const eachCall = (change: (call: Call) => void) => bendEach((body) => callsOf(body).forEach(change))

/** Quirks of chat answers: what servers do to calls, and to the messages around them. */
export const callQuirks = {
  'no-index': {
    does: 'tool calls without `index`',
    trouble: eachCall((call) => delete call.index),
  },
  'index-zero': {
    does: 'every tool call has `index` 0',
    trouble: eachCall((call) => {
      call.index = 0
    }),
  },
  'no-id': { does: 'tool calls without `id`', trouble: eachCall((call) => delete call.id) },
  'empty-id': {
    does: '`id` and `name` are empty strings where a call goes on',
    trouble: eachCall((call) => {
      call.id ??= ''
      call.function.name ??= ''
    }),
  },
  'null-fields': {
    does: '`id`, `type` and `name` are null where a call goes on',
    trouble: eachCall((call) => {
      call.id ??= null
      call.type ??= null
      call.function.name ??= null
    }),
  },
  'number-id': {
    does: 'the `id` of a call is a number',
    trouble: bendChat((bodies) => {
      const named = bodies.flatMap(callsOf).filter(({ id }) => id !== undefined)
      for (const [at, call] of named.entries()) call.id = at + 1
      return bodies
    }),
  },
  'same-id': {
    does: 'all calls of an answer have one `id`',
    trouble: eachCall((call) => {
      if (call.id !== undefined) call.id = 'call_1'
    }),
  },
  'repeated-head': {
    does: '`id` and `name` again in every piece of a call',
    trouble: bendChat((bodies) => {
      const heads = new Map<unknown, Call>()
      for (const call of bodies.flatMap(callsOf)) {
        const head = heads.get(call.index) ?? call
        heads.set(call.index, head)
        Object.assign(call, { id: head.id, type: head.type })
        call.function.name = head.function.name
      }
      return bodies
    }),
  },
  'merged-fragments': {
    does: 'all calls of a stream whole, in one chunk with the finish reason',
    trouble: bendChat(merged),
  },
  'object-arguments': {
    does: '`arguments` is an object and no string',
    trouble: bendChat((bodies) => withArguments(bodies, (text) => JSON.parse(text))),
  },
  'double-arguments': {
    does: '`arguments` is JSON in a string in a string',
    trouble: bendChat((bodies) => withArguments(bodies, (text) => JSON.stringify(text))),
  },
  'braces-first': {
    does: '`{}` in front of the arguments',
    trouble: bendChat((bodies) => withArguments(bodies, (text) => `{}${text}`)),
  },
  'padded-arguments': {
    does: 'white space around the arguments',
    trouble: bendChat((bodies) => withArguments(bodies, (text) => `\n ${text} \n`)),
  },
  'prefixed-name': {
    does: '`functions.` in front of the name of a tool',
    trouble: eachCall(({ function: called }) => {
      if (called.name) called.name = `functions.${called.name}`
    }),
  },
  'finish-stop': {
    does: 'the finish reason of calls is `stop`',
    trouble: bendEach(({ choices }) => {
      for (const choice of choices) if (choice.finish_reason) choice.finish_reason = 'stop'
    }),
  },
  'content-parts': {
    does: 'content is an array of parts and no string',
    trouble: bendEach((body) => {
      for (const message of messagesOf(body)) {
        if (typeof message.content === 'string') message.content = [{ type: 'text', text: message.content }]
      }
    }),
  },
} as const satisfies Record<string, Quirk>

// The pieces of each call put together; all that was not its first piece goes.
function wholeCalls(bodies: readonly ChatBody[]): Call[] {
  const whole = new Map<unknown, Call>()
  for (const piece of bodies.flatMap(callsOf)) {
    const call = whole.get(piece.index)
    if (!call) whole.set(piece.index, structuredClone(piece))
    else call.function.arguments = `${call.function.arguments ?? ''}${piece.function.arguments ?? ''}`
  }
  return [...whole.values()]
}

function withArguments(bodies: ChatBody[], change: (text: string) => unknown): ChatBody[] {
  return withCalls(bodies, (call) => {
    const { arguments: text } = call.function
    return { ...call, function: { ...call.function, arguments: change(String(text)) } }
  })
}

// Each call comes whole where it began.
function withCalls(bodies: ChatBody[], change: (call: Call) => Call): ChatBody[] {
  const whole = new Map(wholeCalls(bodies).map((call) => [call.index, change(call)]))
  for (const message of bodies.flatMap(messagesOf)) {
    if (!message.tool_calls) continue
    message.tool_calls = message.tool_calls.flatMap(({ index }) => {
      const call = whole.get(index)
      whole.delete(index)
      return call ?? []
    })
  }
  return bodies
}

function merged(bodies: ChatBody[]): ChatBody[] {
  const calls = wholeCalls(bodies)
  const last = bodies.find(({ choices }) =>
    choices.some(({ delta, finish_reason }) => delta && finish_reason),
  )
  if (!last || calls.length === 0) return bodies
  for (const message of messagesOf(last)) message.tool_calls = calls
  const rest = bodies.filter((body) => body !== last && callsOf(body).length === 0)
  const head = rest.filter(({ choices }) => choices.length > 0)
  return [...head, last, ...rest.filter((body) => !head.includes(body))]
}
