import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

interface Sent {
  readonly messages: readonly { readonly role: string; readonly tool_calls?: readonly object[] }[]
}

/** What the model does at each step: pays, looks and pays, asks for a signature, ends. */
const steps: readonly (readonly string[])[] = [['pay'], ['look', 'pay'], ['sign', 'pay'], []]

/** Starts a model server that streams, as slowly as it takes to be killed in between. */
export async function startModelServer() {
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const piece of request) text += piece
    const { messages } = JSON.parse(text) as Sent
    const made = messages.filter(({ role }) => role === 'assistant').length
    const write = async (delta: object, finish: string | null = null) => {
      response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`)
      await sleep(Math.random() * 15)
    }
    for (const word of ['Step ', String(made), ' is ', 'this.']) await write({ content: word })
    const calls = steps[made] ?? []
    for (const [index, name] of calls.entries()) {
      const id = `call_${made}_${index}`
      await write({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] })
      await write({ tool_calls: [{ index, function: { arguments: `{"what":"${id}"}` } }] })
    }
    await write({}, calls.length > 0 ? 'tool_calls' : 'stop')
    response.end('data: [DONE]\n\n')
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  return {
    baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}
