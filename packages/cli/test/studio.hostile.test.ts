import { mkdir, readdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { agentSource } from './studio-agents.js'
import { studioFiles, testStudio } from './studio-client.js'

const page = '<script>fetch("/api/studio")</script>'

test.each([
  ['image/svg+xml', `<svg xmlns="http://www.w3.org/2000/svg">${page}</svg>`, 'image/svg+xml'],
  ['image/png', `<!doctype html>${page}`, 'image/png'],
  ['audio/wav', `RIFF\0\0\0\0WAVELIST${page}`, 'audio/wav'],
  ['text/html', `<!doctype html>${page}`, 'text/plain; charset=utf-8'],
  ['application/xhtml+xml', `<html xmlns="http://www.w3.org/1999/xhtml">${page}</html>`, undefined],
  ['application/pdf', `%PDF-1.4 ${page}`, undefined],
])('an artifact of the type %s runs no script', async (type, bytes, shown) => {
  const { origin, cookie } = await testStudio(await studioFiles({ 'agent.ts': agentSource() }))
  const headers = { cookie, origin, 'x-capstan-studio': '1' }
  const body = Buffer.from(bytes, 'latin1')
  const sent = { method: 'POST', headers: { ...headers, 'content-type': type }, body }
  const { id } = Object(await (await fetch(`${origin}/api/artifacts`, sent)).json())
  const served = await fetch(`${origin}/api/artifacts/${id}`, { headers })
  expect(Buffer.from(await served.arrayBuffer())).toEqual(body)
  expect(served.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox")
  expect(served.headers.get('x-content-type-options')).toBe('nosniff')
  expect(served.headers.get('content-type')).toBe(shown ?? 'application/octet-stream')
  expect(served.headers.get('content-disposition')?.startsWith('attachment') ?? false).toBe(!shown)
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
