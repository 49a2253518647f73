import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { expect, test } from 'vitest'

test('without the library its things are unknown, and all else is drawn', async () => {
  // A bundle in another folder does not find the packages of the repository.
  const folder = mkdtempSync(join(tmpdir(), 'capstan-painter-'))
  try {
    await build({
      entryPoints: [new URL('../src/index.ts', import.meta.url).pathname],
      outfile: join(folder, 'painter.mjs'),
      bundle: true,
      format: 'esm',
      platform: 'node',
      external: ['@jsquash/*'],
      logLevel: 'error',
    })
    const program = `
      import { editPicture, paintPrompt } from './painter.mjs'
      const size = { width: 32, height: 32 }
      const { picture, ...words } = paintPrompt({ prompt: 'a cat, a zebra and a parrot', ...size })
      const edit = editPicture({ picture, prompt: 'add a zebra' })
      console.log(JSON.stringify([words, edit.caption, edit.picture === picture]))`
    writeFileSync(join(folder, 'program.mjs'), program)
    const [words, caption, isSame]: unknown[] = JSON.parse(
      execFileSync(process.execPath, [join(folder, 'program.mjs')], { encoding: 'utf8' }),
    )
    expect(words).toEqual({
      understood: ['cat', 'parrot'],
      unknown: ['zebra'],
      caption: 'a cat and a bird (not understood: zebra)',
    })
    expect([caption, isSame]).toEqual(['a cat and a bird, unchanged (not understood: zebra)', true])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
