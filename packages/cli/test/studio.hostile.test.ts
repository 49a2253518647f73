import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { agentSource } from './studio-agents.js'
import { studioFiles, testStudio } from './studio-client.js'

const page = '<script>fetch("/api/studio")</script>'

const scripts: readonly (readonly [type: string, bytes: string, shown: string | undefined])[] = [
  ['image/svg+xml', `<svg xmlns="http://www.w3.org/2000/svg">${page}</svg>`, 'image/svg+xml'],
  ['image/png', `<!doctype html>${page}`, 'image/png'],
  ['audio/wav', `RIFF\0\0\0\0WAVELIST${page}`, 'audio/wav'],
  ['text/html', `<!doctype html>${page}`, 'text/plain; charset=utf-8'],
  ['application/xhtml+xml', `<html xmlns="http://www.w3.org/1999/xhtml">${page}</html>`, undefined],
  ['application/pdf', `%PDF-1.4 ${page}`, undefined],
]

test('an artifact of no type runs a script', async () => {
  const { origin, cookie } = await testStudio(await studioFiles({ 'agent.ts': agentSource() }))
  const headers = { cookie, origin, 'x-capstan-studio': '1' }
  for (const [type, bytes, shown] of scripts) {
    const body = Buffer.from(bytes, 'latin1')
    const sent = { method: 'POST', headers: { ...headers, 'content-type': type }, body }
    const { id } = Object(await (await fetch(`${origin}/api/artifacts`, sent)).json())
    const served = await fetch(`${origin}/api/artifacts/${id}`, { headers })
    expect(Buffer.from(await served.arrayBuffer()), type).toEqual(body)
    expect(served.headers.get('content-security-policy'), type).toBe("default-src 'none'; sandbox")
    expect(served.headers.get('x-content-type-options'), type).toBe('nosniff')
    expect(served.headers.get('content-type'), type).toBe(shown ?? 'application/octet-stream')
    expect(served.headers.get('content-disposition')?.startsWith('attachment') ?? false, type).toBe(!shown)
  }
})

test('an exported test stays in the folder of the project, also behind links', async () => {
  const folder = await studioFiles({ 'agent.ts': agentSource(), 'package.json': '{ "type": "module" }' })
  const outside = await studioFiles({})
  await symlink(outside, join(folder, 'away'))
  await symlink(join(outside, 'x.test.ts'), join(folder, 'link.test.ts'))
  await mkdir(join(folder, 'inside'))
  const studio = await testStudio(folder)
  await studio.loaded()
  const { id } = await studio.run({ input: 'Hi' })
  const write = async (path: string) =>
    (await studio.call('POST', `/api/runs/${id}/test`, { style: 'replay', path })).status
  for (const path of [
    '../x.test.ts',
    join(outside, 'x.test.ts'),
    'away/x.test.ts',
    'link.test.ts',
    'inside/../../x.test.ts',
    'missing/x.test.ts',
    'x.ts',
    'agent.ts',
    'package.json',
    '.test.ts',
    'x\0.test.ts',
  ])
    expect(await write(path), path).toBe(400)
  expect(await readdir(outside)).toEqual([])
  expect(await write('inside/x.test.ts')).toBe(200)
  expect(await readdir(join(folder, 'inside'))).toEqual(['x.recording.jsonl', 'x.test.ts'])
})

test('a run of another studio is read, and starts nothing before a yes, whatever its files say', async () => {
  const theirs = await studioFiles({ 'agent.ts': agentSource() })
  const stranger = await testStudio(theirs)
  await stranger.loaded()
  const { id } = await stranger.run({ input: 'Hi' })
  const waiting = await stranger.run({ input: 'call pay {"amount":3}' })
  const ours = await studioFiles({ 'agent.ts': agentSource() })
  const studio = await testStudio(ours)
  await studio.loaded()
  const own = await studio.run({ input: 'Hi' })
  await cp(join(theirs, 'data', 'runs'), join(ours, 'data', 'runs'), { recursive: true })
  const file = join(ours, 'data', 'runs', id, 'run.json')
  const { origin } = JSON.parse(await readFile(join(ours, 'data', 'runs', own.id, 'run.json'), 'utf8'))
  const forged = { ...JSON.parse(await readFile(file, 'utf8')), isForeign: false, origin }
  await writeFile(file, JSON.stringify(forged))
  const marks = { isPinned: true, isTrusted: true, origin }
  await writeFile(join(ours, 'data', 'runs', id, 'marks.json'), JSON.stringify(marks))

  expect(await studio.get(`/api/runs/${id}`)).toMatchObject({ isForeign: true })
  expect(await studio.get(`/api/runs/${id}/explain`)).toContain('Hi')
  const fork = { run: id, checkpoint: 0 }
  const starts = [
    ['/api/runs', { agent: 'helper', fork }],
    ['/api/runs', { agent: 'helper', input: 'More', after: id }],
    [`/api/runs/${id}/check`, {}],
    [`/api/runs/${id}/resume`, {}],
    [`/api/runs/${id}/test`, { style: 'replay', preview: true }],
    [`/api/runs/${waiting.id}/decisions`, { decisions: {} }],
  ] as const
  for (const [path, body] of starts)
    expect(await studio.call('POST', path, body), path).toMatchObject({
      status: 409,
      body: { error: { code: 'foreign_run' } },
    })
  expect((await studio.call('PATCH', `/api/runs/${id}`, { title: 'Named' })).status).toBe(204)
  expect((await studio.call('POST', `/api/runs/${id}/check`, {})).status).toBe(409)
  expect((await studio.call('PATCH', `/api/runs/${id}`, { isTrusted: true })).status).toBe(204)
  expect(await studio.post(`/api/runs/${id}/check`)).toEqual({ same: true })
  expect(await studio.get(`/api/runs/${own.id}`)).not.toHaveProperty('isForeign')
})

test('secrets in the error output of a process that ended are not kept', async () => {
  process.env.STUDIO_TEST_API_KEY = 'a-key-of-the-environment-1234'
  onTestFinished(() => {
    delete process.env.STUDIO_TEST_API_KEY
  })
  const source = agentSource().replace(
    "console.error('the end is near')",
    "console.error('the end is near', process.env.STUDIO_TEST_API_KEY, 'sk-abcdefghijklmnopqrstuvwx')",
  )
  const studio = await testStudio(await studioFiles({ 'agent.ts': source }))
  await studio.loaded()
  const { id } = await studio.run({ input: 'call quit' })
  const { lost } = Object(await studio.entry(id, (one) => 'lost' in one))
  expect(lost.stderr).toContain('the end is near [redacted] [redacted]')
})
