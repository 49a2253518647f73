import { askServer, excerpt, type ServerReply } from '../ask-server.js'
import { demand, type ServerCheck, skip } from '../server-check.js'
import { greeting, question, tools } from './weather.js'

/** Requests that a server refuses. */
export const errorChecks: readonly ServerCheck[] = [
  {
    id: 'error-orphan',
    title: 'the result of a call that nobody made is refused',
    async run(server) {
      const orphan = { role: 'tool', tool_call_id: 'call_of_nobody', content: '{}' }
      demandRefusal(await askServer(server, { messages: [question, orphan], tools }), [400, 422])
    },
  },
  {
    id: 'error-model',
    title: 'an unknown model is refused with a message',
    async run(server) {
      const fields = { messages: [greeting], model: 'no-such-model-4c1f' }
      const reply = await askServer(server, fields)
      if (isCompletion(reply)) skip('the server replies under any model name')
      demandRefusal(reply, [400, 404])
    },
  },
  {
    id: 'error-json',
    title: 'a body that is not JSON is refused',
    async run(server) {
      demandRefusal(await askServer(server, {}, { raw: '{"model": "m", "messages": [' }), [400, 422])
    },
  },
  {
    id: 'error-no-key',
    title: 'a request without a key is refused',
    async run(server) {
      if (server.key === undefined) skip('no key was given')
      demandRefusal(await askServer(server, { messages: [greeting] }, { key: null }), [401])
    },
  },
  {
    id: 'error-wrong-key',
    title: 'a request with a wrong key is refused',
    async run(server) {
      if (server.key === undefined) skip('no key was given')
      demandRefusal(await askServer(server, { messages: [greeting] }, { key: 'a-wrong-key' }), [401])
    },
  },
]

function isCompletion({ status, body }: ServerReply): boolean {
  const { choices } = (body ?? {}) as { choices?: readonly { message?: unknown }[] }
  return status === 200 && choices?.[0]?.message !== undefined
}

/** Demands one of these statuses, and `{ error: { message, type } }`. */
function demandRefusal(reply: ServerReply, statuses: readonly number[]): void {
  demand(statuses.includes(reply.status), excerpt(reply))
  const { error } = (reply.body ?? {}) as { error?: { message?: unknown; type?: unknown } }
  demand(typeof error?.message === 'string' && error.message !== '', `no error.message: ${excerpt(reply)}`)
  demand(typeof error.type === 'string', `no error.type: ${excerpt(reply)}`)
}
