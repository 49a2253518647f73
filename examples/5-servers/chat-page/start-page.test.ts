import { request } from 'node:http'
import { Agent } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { expect, onTestFinished, test } from 'vitest'
import { startPage } from './start-page.js'

async function start(): Promise<string> {
  const { origin, close } = await startPage(new Agent({ model: scriptedModel([reply.text('Hello.')]) }))
  onTestFinished(close)
  return origin
}

const hello = { id: 'chat', messages: [{ id: 'a', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }] }

const say = (origin: string, headers: Record<string, string>) =>
  fetch(`${origin}/agent/ui`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(hello),
  })

test('whoever opened the page is answered, and nobody else', async () => {
  const origin = await start()
  const page = await fetch(origin)
  const [cookie = '', ...attributes] = page.headers.get('set-cookie')?.split('; ') ?? []
  expect(attributes).toEqual(['Path=/', 'HttpOnly', 'SameSite=Strict'])
  expect(await (await say(origin, { cookie })).text()).toContain('Hello.')
  expect((await say(origin, {})).status).toBe(401)
  expect((await say(origin, { cookie: cookie.replace(/=.*/, '=guess') })).status).toBe(401)
  expect((await say(origin, { cookie, origin: 'https://elsewhere.test' })).status).toBe(403)
})

test('a page may load and ask nothing from elsewhere, and be framed by none', async () => {
  const { headers } = await fetch(await start())
  const policy = headers.get('content-security-policy')
  expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/)
  expect(policy).toMatch(/connect-src 'self'; .*frame-ancestors 'none'$/)
})

test('a name that others have pointed here is not answered', async () => {
  const { hostname, port } = new URL(await start())
  const status = await new Promise((resolve, reject) => {
    const asked = request({ hostname, port, headers: { host: `elsewhere.test:${port}` } }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    asked.on('error', reject).end()
  })
  expect(status).toBe(421)
})

test.each(['/start-page.ts', '/..%2fstart-page.ts', '/page/index.html', '/constructor'])(
  'no other file is served: %s',
  async (path) => {
    expect((await fetch(`${await start()}${path}`)).status).toBe(404)
  },
)
