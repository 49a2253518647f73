// GitHub's own document: its operations become tools in seconds, with valid names, and a server that validates by it
// refuses no call. It is too large for the workspace: node --conditions=development --import=tsx FILE [CALLS]
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memoryArtifacts } from '@capstan/core'
import { messageOf } from '@capstan/core/internal'
import fc from 'fast-check'
import { openapiTools } from '../../src/openapi.js'
import { callsOf } from './arbitrary-of.js'
import { validating } from './validating-server.js'

const calls = Number(process.argv[2] ?? 1000)
const folder = mkdtempSync(join(tmpdir(), 'octokit-'))
try {
  execFileSync('npm', [
    'install',
    '--prefix',
    folder,
    '--no-save',
    '--no-audit',
    '--no-fund',
    '@octokit/openapi@23.0.2',
  ])
  const file = join(folder, 'node_modules/@octokit/openapi/generated/api.github.com.json')
  await prove(readFileSync(file, 'utf8'))
} finally {
  rmSync(folder, { recursive: true })
}

async function prove(text: string): Promise<void> {
  const document = JSON.parse(text)
  const answer = validating(document)
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    )
    const { status = 200, body } = answer({
      method: request.method ?? '',
      url: request.url ?? '',
      headers,
      body: Buffer.concat(chunks),
    })
    response.writeHead(status, { 'content-type': 'application/json' }).end(body)
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const began = performance.now()
  const { tools, skipped } = openapiTools(text, {
    allow: '*',
    baseURL,
    headers: { authorization: 'Bearer the-key-of-ada' },
  })
  const seconds = (performance.now() - began) / 1000
  const names = new Set(tools.map(({ name }) => name))
  const areValid = [...names].every((name) => /^[a-zA-Z0-9_-]{1,64}$/.test(name))
  if (tools.length !== 1223 || names.size !== 1223 || !areValid || skipped.length > 0 || seconds > 8)
    throw new Error(`${tools.length} tools, ${names.size} names, ${skipped.length} skipped, ${seconds} s`)

  const artifacts = memoryArtifacts()
  const { id } = await artifacts.put(new Uint8Array(100), { kind: 'file', mediaType: 'application/zip' })
  let refused = 0
  let sent = 0
  for (let round = 0; sent < calls; round++) {
    const tool = tools[(round * 7) % tools.length]
    const { parameters } = tool?.definition.function ?? {}
    const texts = ([first = '']: readonly string[]) =>
      first === 'body' ? fc.constantFrom(id) : fc.stringMatching(/^[a-z0-9_-]{1,12}$/)
    const [args] = fc.sample(callsOf(parameters, texts), { numRuns: 1, seed: round })
    // Its own server is another one.
    if (tool?.name === 'repos_upload-release-asset') continue
    sent += 1
    await tool?.call(args ?? {}, { artifacts }).catch((error: unknown) => {
      refused += 1
      if (refused < 10) console.error(tool.name, JSON.stringify(args).slice(0, 300), messageOf(error))
    })
  }
  server.close()
  server.closeAllConnections()
  if (refused > 0) throw new Error(`${refused} of ${sent} calls were refused`)
  console.log(`${tools.length} operations of GitHub in ${seconds.toFixed(1)} s; ${sent} calls, none refused`)
}
