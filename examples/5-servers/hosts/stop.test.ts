import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { Agent } from '@capstan/core'
import { agentHandler } from '@capstan/http'
import { reply, scriptedModel } from '@capstan/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { nodeServer, stopOnSignal } from './node-http.js'

test('a signal ends the runs in progress, refuses new ones, and closes the server', async () => {
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  onTestFinished(() => log.mockRestore())
  let answer = () => {}
  const answered = new Promise<void>((resolve) => {
    answer = resolve
  })
  const model = scriptedModel([
    async () => {
      await answered
      return { message: { role: 'assistant', content: 'Hello.' } }
    },
    reply.text('Not this.'),
  ])
  const handler = agentHandler(new Agent({ name: 'helper', model }), { authenticate: false })
  const server = nodeServer(handler).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const ask = () =>
    fetch(`http://127.0.0.1:${port}/runs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"input":"Hello."}',
    })
  const running = await ask()

  const before = process.listeners('SIGTERM')
  stopOnSignal(server, handler)
  // To send the signal would end the tests.
  const [stop] = process.listeners('SIGTERM').filter((one) => !before.includes(one))
  onTestFinished(() => void (stop && process.off('SIGTERM', stop)))
  const stopped = stop?.('SIGTERM')
  await expect(ask()).rejects.toThrow('fetch failed')
  answer()
  expect(await running.text()).toContain('"text":"Hello."')
  await stopped
  expect(log).toHaveBeenCalledExactlyOnceWith('1 runs finished, 0 continue in another process')
  expect(server.listening).toBe(false)
})
