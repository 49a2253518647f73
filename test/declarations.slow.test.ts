import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { declarationErrors, declaringPrograms } from '../scripts/declarations.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

// scripts/check-packages.mjs does the same with the packed packages, each entry by itself.
test('declarations can name every type of every entry', async () => {
  const folder = installSources()
  const { compilerOptions } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'))
  const programs = new Map([...declaringPrograms(), ...addHidingPackage(folder)])
  const errors = await declarationErrors(folder, programs, {
    compiler: 'typescript7',
    extension: 'ts',
    options: { ...compilerOptions, noEmit: false },
  })
  expect(errors).toEqual([expect.stringContaining("'Hidden'")])
})

/** A package that forgets a type, and the program that shows it: else nothing would show that errors are found. */
function addHidingPackage(folder: string): [name: string, program: string][] {
  const at = join(folder, 'node_modules/hiding')
  mkdirSync(at)
  writeFileSync(join(at, 'package.json'), '{ "exports": "./index.ts" }')
  writeFileSync(join(at, 'hidden.ts'), 'export class Hidden {\n  readonly one = 1\n}\n')
  writeFileSync(
    join(at, 'index.ts'),
    "import { Hidden } from './hidden.js'\nexport const make = () => new Hidden()\n",
  )
  return [['hiding', "import { make } from 'hiding'\nexport const made = () => make()\n"]]
}

/** The sources of all packages as npm would install them, in a folder that is deleted after the test. */
function installSources(): string {
  const folder = mkdtempSync(join(tmpdir(), 'capstan-declarations-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const name of readdirSync(join(root, 'packages'))) {
    const from = join(root, 'packages', name)
    const manifest = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'))
    const { peerDependencies: peers = {}, dependencies, devDependencies } = manifest
    const to = join(folder, 'node_modules', manifest.name)
    mkdirSync(to, { recursive: true })
    for (const part of ['package.json', 'src']) cpSync(join(from, part), join(to, part), { recursive: true })
    // Only peers are there for everybody.
    for (const one of Object.keys({ ...dependencies, ...devDependencies, ...peers }))
      if (!one.startsWith('@capstan/')) link(join(from, 'node_modules', one), one in peers ? folder : to, one)
  }
  link(join(root, 'node_modules/@types/node'), folder, '@types/node')
  return folder
}

function link(target: string, folder: string, name: string): void {
  const path = join(folder, 'node_modules', name)
  if (!existsSync(target) || existsSync(path)) return
  mkdirSync(dirname(path), { recursive: true })
  symlinkSync(target, path)
}
