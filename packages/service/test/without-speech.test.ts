import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const { resolve } = createRequire(import.meta.url)

test('without the speech package, speech is a 501 with the install command', {
  timeout: 60_000,
}, async () => {
  // A copy of the source in a folder with only its runtime installed, and the private packages that it is built with.
  const folder = await mkdtemp(join(tmpdir(), 'service-'))
  await cp(fileURLToPath(new URL('../src', import.meta.url)), join(folder, 'src'), { recursive: true })
  await mkdir(join(folder, 'node_modules/@capstan'), { recursive: true })
  for (const name of ['protocols', 'schema']) {
    const built = fileURLToPath(new URL(`../../${name}`, import.meta.url))
    await symlink(built, join(folder, 'node_modules/@capstan', name))
  }
  await symlink(dirname(resolve('tsx/package.json')), join(folder, 'node_modules', 'tsx'))
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  await writeFile(join(folder, 'main.ts'), program)
  const { stdout } = await promisify(execFile)('node', ['--import=tsx', 'main.ts'], { cwd: folder })
  await rm(folder, { recursive: true })
  const [status, error] = JSON.parse(stdout)
  expect(status).toBe(501)
  expect(error).toMatchObject({
    code: 'speech_not_installed',
    message: expect.stringContaining('npm install @capstan/speech'),
  })
})

const program = `
import { startService } from './src/start-service.ts'
const service = await startService()
const response = await fetch(service.baseURL + '/audio/speech', {
  method: 'POST',
  headers: { authorization: 'Bearer ' + service.apiKey, 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'gpt-4o-mini-tts', input: 'Hello.' }),
})
console.log(JSON.stringify([response.status, (await response.json()).error]))
await service.close()
`
