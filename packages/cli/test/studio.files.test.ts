import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { agentSource } from './studio-agents.js'
import { studioFiles, type TestStudio, testStudio } from './studio-client.js'

test('a change in a package of the workspace, and one of .env, loads the file again', async () => {
  const folder = await studioFiles({ '.env': 'WORD=three\n' })
  const words = join(folder, 'packages/words')
  await mkdir(words, { recursive: true })
  await mkdir(join(folder, 'node_modules'))
  await symlink(words, join(folder, 'node_modules/words'))
  await writeFile(
    join(words, 'package.json'),
    '{ "name": "words", "type": "module", "exports": "./index.ts" }',
  )
  await writeFile(join(words, 'index.ts'), "export const word: string = 'one'")
  const file = JSON.stringify(join(folder, '.env'))
  const settings = `export const studio = { prompts: [word, readFileSync(${file}, 'utf8').trim()] }`
  const imports = "import { readFileSync } from 'node:fs'\nimport { word } from 'words'\n"
  await writeFile(join(folder, 'agent.ts'), imports + agentSource(settings))
  const studio = await testStudio(folder)
  expect((await studio.loaded()).prompts).toEqual(['one', 'WORD=three'])
  await writeFile(join(words, 'index.ts'), "export const word: string = 'two'")
  await expect.poll(async () => (await studio.about()).prompts).toEqual(['two', 'WORD=three'])
  await writeFile(join(folder, '.env'), 'WORD=four\n')
  await expect.poll(async () => (await studio.about()).prompts).toEqual(['two', 'WORD=four'])
})

test('files go up as bytes, come down in ranges, and tell what they were made from', async () => {
  const studio = await testStudio(await studioFiles({ 'agent.ts': agentSource() }))
  const body = Buffer.from(Array.from({ length: 70_000 }, (_, at) => at % 251))
  const { id, size, kind } = Object((await fetchAs(studio, '/api/artifacts', { method: 'POST', body })).json)
  expect([size, kind]).toEqual([70_000, 'audio'])
  const partOf = async (range: string) => {
    const { status, headers, bytes } = await fetchAs(studio, `/api/artifacts/${id}`, { headers: { range } })
    return [status, headers.get('content-range'), bytes.equals(body.subarray(10, 20))]
  }
  expect(await partOf('bytes=10-19')).toEqual([206, 'bytes 10-19/70000', true])
  expect((await partOf('bytes=80000-'))[0]).toBe(416)
  const down = await fetchAs(studio, `/api/artifacts/${id}?download`)
  expect(down.headers.get('content-disposition')).toBe(`attachment; filename="${id}.wav"`)
  expect(down.bytes.equals(body)).toBe(true)
  expect(await studio.get(`/api/artifacts/${id}/about`)).toMatchObject({
    artifact: { id },
    parents: [],
    runs: [],
  })
  expect(await studio.get(`/api/lineage?artifact=${id}`)).toMatchObject({ nodes: [{ id }], edges: [] })
  expect(await studio.get('/api/artifacts?kind=image')).toEqual({ artifacts: [] })
  expect(await uploadOf(studio, 100 * 2 ** 20 + 1)).toBe(413)
})

test('a page gets what it missed, and at most twenty batches a second', async () => {
  const source = agentSource().replace(
    "sink?.({ type: 'text', text: content })",
    `for (let at = 0; at < 200; at++) {
      sink?.({ type: 'text', text: at + ' ' })
      await new Promise((resolve) => setTimeout(resolve, 2))
    }`,
  )
  const studio = await testStudio(await studioFiles({ 'agent.ts': source }))
  await studio.loaded()
  const id = await studio.start({ input: 'Count' })
  const began = performance.now()
  const { batches, seqs } = await follow(studio, `/api/live?run=${id}&after=1`)
  // The first one may arrive immediately.
  expect(batches).toBeLessThanOrEqual((performance.now() - began) / 50 + 2)
  const known = (await studio.entries(id)).map(({ seq }) => seq)
  expect(seqs).toEqual(known.filter((seq) => seq > 1 && seq <= Number(seqs.at(-1))))
})

async function fetchAs({ origin, cookie }: TestStudio, path: string, init: RequestInit = {}) {
  const headers = { cookie, origin, 'x-capstan-studio': '1', 'content-type': 'audio/wav', ...init.headers }
  const response = await fetch(origin + path, { ...init, headers })
  const bytes = Buffer.from(await response.arrayBuffer())
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  return {
    status: response.status,
    headers: response.headers,
    bytes,
    json: isJson ? JSON.parse(String(bytes)) : undefined,
  }
}

/** Announces a body of this length without sending it, and returns the status. */
function uploadOf({ origin, cookie }: TestStudio, length: number): Promise<number | undefined> {
  const headers = { cookie, origin, 'x-capstan-studio': '1', 'content-length': String(length) }
  return new Promise((resolve, reject) => {
    const sent = request(`${origin}/api/artifacts`, { method: 'POST', headers, agent: false })
    sent.once('response', ({ statusCode }) => {
      resolve(statusCode)
      sent.destroy()
    })
    sent.once('error', reject).flushHeaders()
  })
}

/** Reads a live stream until its run has ended. */
async function follow({ origin, cookie }: TestStudio, path: string) {
  const response = await fetch(origin + path, { headers: { cookie } })
  const seqs: number[] = []
  let batches = 0
  let text = ''
  for await (const bytes of response.body ?? []) {
    text += new TextDecoder().decode(bytes)
    const events = text.split('\n\n')
    text = events.pop() ?? ''
    for (const event of events) {
      const [, data] = /^event: entries\ndata: (.*)$/m.exec(event.replace(/^id: .*\n/, '')) ?? []
      if (data === undefined) continue
      const entries: readonly { readonly seq: number; readonly event?: { readonly type: string } }[] =
        JSON.parse(data)
      batches += 1
      seqs.push(...entries.map(({ seq }) => seq))
      if (entries.some((entry) => entry.event?.type === 'run-end')) return { batches, seqs }
    }
  }
  return { batches, seqs }
}
