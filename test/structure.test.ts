import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { mostOf } from '../scripts/limits.mjs'

const packages = fileURLToPath(new URL('../packages', import.meta.url))

// Sizes that keep a file one idea, and a function on one screen.
const mostLinesOfFile = mostOf('lines of a file')
const mostLinesOfFunction = mostOf('lines of a function')
const fewestFilesOfFolder = 3

describe.each(readdirSync(packages))('packages/%s', (name) => {
  const source = join(packages, name, 'src')
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(isSource)
  const read = (file: string) => readFileSync(join(source, file), 'utf8')

  test(`no file is longer than ${mostLinesOfFile} lines`, () => {
    expect(files.filter((file) => read(file).split('\n').length - 1 > mostLinesOfFile)).toEqual([])
  })

  test(`no function is longer than ${mostLinesOfFunction} lines`, () => {
    // A drawing is a list of shapes in the order they are painted: data, in the form of a function.
    const code = files.filter((file) => name !== 'painter' || !file.startsWith('nouns/'))
    expect(code.flatMap((file) => longFunctions(file, read(file)))).toEqual([])
  })

  test(`no folder has fewer than ${fewestFilesOfFolder} files`, () => {
    const folders = new Map<string, number>()
    for (const file of files) folders.set(dirname(file), (folders.get(dirname(file)) ?? 0) + 1)
    // The folder of a feature goes with it, and may have two.
    const least = (folder: string) => (folder.startsWith('features/') ? 2 : fewestFilesOfFolder)
    const small = [...folders].filter(([folder, count]) => folder !== '.' && count < least(folder))
    expect(small.map(([folder]) => folder)).toEqual([])
  })
})

function isSource(file: string): boolean {
  return /\.tsx?$/.test(file) && !/\.test(-d)?\.tsx?$/.test(file)
}

/** Without comments and parents: they take half of the time. */
const quickly = {
  languageVersion: ts.ScriptTarget.Latest,
  jsDocParsingMode: ts.JSDocParsingMode.ParseNone,
}

function longFunctions(file: string, text: string): string[] {
  if (text.split('\n').length <= mostLinesOfFunction) return []
  const source = ts.createSourceFile(file, text, quickly)
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body) {
      const first = source.getLineAndCharacterOfPosition(node.getStart(source)).line
      const last = source.getLineAndCharacterOfPosition(node.end).line
      if (last - first + 1 > mostLinesOfFunction)
        found.push(`${file}:${first + 1} (${last - first + 1} lines)`)
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}
