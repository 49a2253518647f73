import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { writeTinyWhisper } from './write-tiny-models.js'

const { resolve } = createRequire(import.meta.url)

test('a format and a model without their package name it', {
  timeout: 60_000,
}, async () => {
  // A copy of the source in a folder with only its runtime installed, and the package that it bundles.
  const folder = await mkdtemp(join(tmpdir(), 'speech-'))
  await cp(fileURLToPath(new URL('../src', import.meta.url)), join(folder, 'src'), { recursive: true })
  await mkdir(join(folder, 'node_modules/@capstan'), { recursive: true })
  const formats = fileURLToPath(new URL('../../formats', import.meta.url))
  await symlink(formats, join(folder, 'node_modules/@capstan/formats'))
  await symlink(dirname(resolve('tsx/package.json')), join(folder, 'node_modules', 'tsx'))
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  await writeTinyWhisper(join(folder, 'whisper'))
  await writeFile(join(folder, 'main.ts'), program)
  const { stdout } = await promisify(execFile)('node', ['--import=tsx', 'main.ts'], {
    cwd: folder,
    // The copy is not among the built packages.
    env: { ...process.env, CAPSTAN_BUNDLES: '' },
  })
  await rm(folder, { recursive: true })
  expect(stdout.trim().split('\n')).toEqual([
    'encoder_not_installed MP3 and Ogg need an optional package. Install it: npm install wasm-media-encoders',
    'flac 42',
    'sherpa_not_installed Your own models need an optional package. Install it: npm install sherpa-onnx',
  ])
})

const program = `
import { encode } from './src/encode/create-encoder.ts'
import { loadRecognizer } from './src/models/load-recognizer.ts'
const tell = ({ code, message }) => console.log(code, message)
const sound = { samples: new Int16Array(), sampleRate: 16_000 }
await encode(sound, 'mp3').catch(tell)
console.log('flac', (await encode(sound, 'flac')).length)
await loadRecognizer('whisper').catch(tell)
`
