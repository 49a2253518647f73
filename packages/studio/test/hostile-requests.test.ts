import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RunningStudio, startStudio } from '../src/index.js'
import { enter, send } from './raw-request.js'

let folder: string
let studio: RunningStudio
let cookie: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'capstan-studio-'))
  const page = join(folder, 'page')
  await mkdir(join(page, 'assets'), { recursive: true })
  await writeFile(join(page, 'index.html'), '<!doctype html><title>capstan studio</title>')
  await writeFile(join(page, 'assets/main-1.js'), 'export {}')
  await writeFile(join(folder, 'secret.js'), 'secret')
  studio = await startStudio({ port: 0, page, allowHosts: ['box.example', 'port.example:8443'] })
  cookie = await enter(studio)
})

afterAll(async () => {
  await studio.close()
  await rm(folder, { recursive: true })
})

const get = (path: string, headers: Record<string, string> = {}) =>
  send(studio.origin, path, { headers: { cookie, ...headers } })
const portOf = () => new URL(studio.origin).port

describe('another machine', () => {
  test('reaches no port, because only loopback addresses are listened to', async () => {
    const others = Object.values(networkInterfaces())
      .flatMap((addresses = []) => addresses)
      .filter(({ internal, family }) => !internal && family === 'IPv4')
    for (const { address } of others)
      await expect(canConnect(address, Number(portOf())), address).resolves.toBe(false)
  })
})

function canConnect(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port })
    const settle = (is: boolean) => {
      socket.destroy()
      resolve(is)
    }
    socket.once('connect', () => settle(true)).once('error', () => settle(false))
  })
}

describe('DNS rebinding', () => {
  test.each(['evil.example', 'localhost', '127.0.0.1:1', '127.0.0.1.evil.example', '[::2]', 'a@127.0.0.1'])(
    'the host %s is not answered',
    async (host) => {
      const named = host.includes(':') || host === 'localhost' ? host : `${host}:${portOf()}`
      for (const path of ['/', '/api/studio', `/?token=${studio.token}`, '/assets/main-1.js']) {
        const { status, headers } = await get(path, { host: named })
        expect([400, 421]).toContain(status)
        expect(headers['set-cookie']).toBeUndefined()
      }
    },
  )

  test('the names of this machine and those of the option are answered', async () => {
    for (const host of ['127.0.0.1', 'localhost', 'LOCALHOST', '[::1]'])
      expect((await get('/api/studio', { host: `${host}:${portOf()}` })).status, host).toBe(200)
    expect((await get('/api/studio', { host: 'box.example' })).status).toBe(200)
    expect((await get('/api/studio', { host: 'port.example:8443' })).status).toBe(200)
    expect((await get('/api/studio', { host: 'port.example:8444' })).status).toBe(421)
  })

  test('a request without a host is not answered', async () => {
    const socket = connect({ host: '127.0.0.1', port: Number(portOf()) })
    socket.end(`GET /api/studio HTTP/1.0\r\nCookie: ${cookie}\r\n\r\n`)
    let received = ''
    for await (const chunk of socket) received += chunk
    expect(received).toMatch(/^HTTP\/1\.1 4\d\d /)
  })
})

describe('a page of another origin', () => {
  test.each([
    'http://evil.example',
    'null',
    'https://127.0.0.1',
    'http://127.0.0.1:1',
    'file://',
    'http://localhost',
  ])('reads and changes nothing: %s', async (origin) => {
    expect((await get('/api/studio', { origin })).status).toBe(403)
    expect((await get('/', { origin })).status).toBe(403)
    const headers = { cookie, origin, 'content-type': 'application/json' }
    const posted = await send(studio.origin, '/api/runs', { method: 'POST', headers, body: '{}' })
    expect(posted.status).toBe(403)
    expect(posted.headers['access-control-allow-origin']).toBeUndefined()
  })

  test('the studio under its other name is another origin', async () => {
    const { status } = await get('/api/studio', { origin: `http://localhost:${portOf()}` })
    expect(status).toBe(403)
  })

  test.each(['cross-site', 'same-site'])('images and scripts of a %s page read nothing', async (site) => {
    expect((await get('/api/studio', { 'sec-fetch-site': site })).status).toBe(403)
    expect((await get(`/?token=${studio.token}`, { 'sec-fetch-site': site })).status).toBe(403)
  })

  test('a preflight is refused, whatever its origin', async () => {
    for (const origin of ['http://evil.example', studio.origin]) await expectRefused(origin)
  })

  async function expectRefused(origin: string): Promise<void> {
    const headers = { origin, 'access-control-request-method': 'POST' }
    const { status, headers: sent } = await send(studio.origin, '/api/runs', { method: 'OPTIONS', headers })
    expect(status).toBe(403)
    expect(Object.keys(sent).filter((name) => name.startsWith('access-control'))).toEqual([])
  }

  test('a websocket is not opened', async () => {
    const headers = {
      cookie,
      origin: 'http://evil.example',
      connection: 'upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    }
    expect((await send(studio.origin, '/api/live', { headers })).status).toBe(403)
  })
})

describe('another program', () => {
  test('without a cookie reads nothing', async () => {
    const [name = ''] = cookie.split('=')
    for (const wrong of ['', 'capstan_studio=x', `${cookie}x`, `${name}=`])
      expect((await send(studio.origin, '/api/studio', { headers: { cookie: wrong } })).status).toBe(401)
  })

  test('with a wrong token gets no cookie', async () => {
    for (const token of ['', 'x', studio.token.slice(1), `${studio.token}x`]) {
      const { status, headers } = await send(studio.origin, `/?token=${token}`)
      expect(status).toBe(403)
      expect(headers['set-cookie']).toBeUndefined()
    }
  })

  test('waits for wrong tokens, one after the other, and is refused beyond a number', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 60 }, async () => (await send(studio.origin, '/?token=guess')).status),
    )
    expect(statuses).toContain(429)
    await expect.poll(async () => (await send(studio.origin, `/?token=${studio.token}`)).status).toBe(200)
  })

  test('tokens have 32 random bytes and differ from cookies and between starts', async () => {
    const other = await startStudio({ port: 0, page: join(folder, 'page') })
    expect(Buffer.from(studio.token, 'base64url')).toHaveLength(32)
    expect(other.token).not.toBe(studio.token)
    expect(cookie).not.toContain(studio.token)
    await other.close()
  })
})

describe('the link', () => {
  test('sets a cookie that scripts and other sites do not have, and leaves the address', async () => {
    const { status, headers, body } = await send(studio.origin, `/?token=${studio.token}`)
    expect(status).toBe(200)
    expect(headers['set-cookie']?.[0]).toMatch(
      new RegExp(`^capstan_studio_${portOf()}=[\\w-]{43}; HttpOnly; SameSite=Strict; Path=/$`),
    )
    expect(body).toContain('<meta http-equiv="refresh" content="0;url=/">')
    expect(body).not.toContain(studio.token)
  })

  test('works from another site, as a link', async () => {
    const headers = {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-dest': 'document',
      'sec-fetch-mode': 'navigate',
    }
    expect((await send(studio.origin, `/?token=${studio.token}`, { headers })).status).toBe(200)
  })
})

describe('forms and simple requests', () => {
  const post = (headers: Record<string, string>, path = '/api/runs', method = 'POST') =>
    send(studio.origin, path, {
      method,
      headers: { cookie, ...headers },
      ...(method === 'DELETE' ? {} : { body: '{}' }),
    })

  test('need an origin', async () => {
    expect((await post({ 'content-type': 'application/json' })).status).toBe(403)
  })

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/json',
    '',
  ])('of the type "%s" change nothing', async (type) => {
    const headers = { origin: studio.origin, ...(type === '' ? {} : { 'content-type': type }) }
    expect((await post(headers)).status).toBe(415)
    expect((await post(headers, '/api/runs/x', 'PATCH')).status).toBe(415)
  })

  test('that upload or delete need the header', async () => {
    const { origin } = studio
    expect((await post({ origin, 'content-type': 'image/png' }, '/api/artifacts')).status).toBe(415)
    expect((await post({ origin }, '/api/runs/x', 'DELETE')).status).toBe(415)
  })
})

describe('paths', () => {
  test.each([
    '/../secret.js',
    '/assets/../../secret.js',
    '/%2e%2e/secret.js',
    '/assets/%2e%2e%2f%2e%2e%2fsecret.js',
    '/assets/..%5c..%5csecret.js',
    '/assets//secret.js',
    '/.vite/manifest.json',
  ])('no file outside of the page is served: %s', async (path) => {
    const { body, status } = await get(path)
    expect(body).not.toBe('secret')
    expect(status).toBe(404)
  })

  test.each(['..', '%2e%2e', '..%2f..%2fetc', 'a%2fb', 'a%00', 'a.b', '%', '%ff', 'a\\b', 'x'.repeat(200)])(
    'no run has the id %s',
    async (id) => {
      expect((await get(`/api/runs/${id}/entries`)).status).toBe(404)
    },
  )
})

describe('responses', () => {
  test.each(['/', '/api/studio', '/api/nothing', '/assets/main-1.js', '/runs/1'])(
    'have a policy that runs no foreign code: %s',
    async (path) => {
      const { headers } = await get(path)
      expect(headers['content-security-policy']).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; media-src 'self' blob:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types dompurify",
      )
      expect(headers['x-content-type-options']).toBe('nosniff')
      expect(headers['referrer-policy']).toBe('no-referrer')
      expect(headers['cross-origin-resource-policy']).toBe('same-origin')
    },
  )

  test('the page is served at every address of it', async () => {
    for (const path of ['/', '/runs/1', '/tools'])
      expect((await send(studio.origin, path)).body).toContain('<title>capstan studio')
  })
})
