import {
  chmodSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { Agent, CapstanError } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { expect, expectTypeOf, test } from 'vitest'
import { slowTest } from '../../../scripts/slow-test.mjs'
import { type FileList, fileTools } from '../src/files.js'
import { resultsOf } from './results-of.js'
import { temporaryFolder } from './temporary-folder.js'

const notes = {
  'a.md': 'one\ntwo\nthree\n',
  'b/c.md': 'Two\n',
  'b/d/e.txt': 'two two\n',
  'node_modules/x/y.js': 'two\n',
  '.git/config': 'two\n',
}

test('lists files, and says how many are left out', async () => {
  const [list] = fileTools(temporaryFolder(notes))
  expect(await list.call({})).toEqual({
    files: ['a.md', 'b/', 'b/c.md', 'b/d/', 'b/d/e.txt'],
    more: 0,
  })
  expect(await list.call({ deep: false })).toEqual({ files: ['a.md', 'b/'], more: 0 })
  expect(await list.call({ path: 'b/d' })).toEqual({ files: ['b/d/e.txt'], more: 0 })
  expect(await fileTools(temporaryFolder({ 'a\nb.md': '', 'c.md': '' }))[0].call({})).toEqual({
    files: ['c.md'],
    more: 0,
  })
  const many = Object.fromEntries(Array.from({ length: 620 }, (_, at) => [`${1000 + at}.txt`, '']))
  const folder = temporaryFolder(many)
  expect((await fileTools(folder)[0].call({})).more).toBe(120)
  const [result] = await resultsOf({ tools: fileTools(folder) }, ['list_files', {}])
  expect(result?.content).toMatch(/^1000\.txt\n[\s\S]*1499\.txt\n\[120 more; list one of the folders\]$/)
  expectTypeOf<ReturnType<typeof list.call>>().resolves.toEqualTypeOf<FileList>()
})

test('reads lines of a file', async () => {
  const [, read] = fileTools(
    temporaryFolder({ ...notes, empty: '', 'long.txt': `${'x'.repeat(60_000)}\nend` }),
  )
  expect(await read.call({ path: 'a.md', from: 2, to: 2 })).toEqual({
    ...{ path: 'a.md', from: 2, to: 2, of: 3, text: 'two', cut: false },
  })
  expect(await read.call({ path: './b//c.md', to: 99 })).toMatchObject({ path: 'b/c.md', to: 1, text: 'Two' })
  expect(await read.call({ path: 'empty' })).toMatchObject({ of: 0, text: '' })
  expect(await read.call({ path: 'long.txt' })).toMatchObject({ to: 1, of: 2, cut: true })
  expect(await read.call({ path: 'long.txt', from: 2 })).toMatchObject({ to: 2, text: 'end', cut: false })
  const tooFar = read.call({ path: 'a.md', from: 4 })
  await expect(tooFar).rejects.toThrow('"a.md" has no line 4: its last line is 3.')
  await expect(read.call({ path: 'b' })).rejects.toThrow('"b" cannot be used: it is not a file')
  await expect(read.call({ path: 'a.md/x' })).rejects.toMatchObject({ code: 'not_found' })
  await expect(read.call({ path: 'none' })).rejects.toMatchObject({ code: 'not_found' })
})

test('a part of a file has at most 48,000 characters', async () => {
  const [, read] = fileTools(temporaryFolder({ 'many.txt': 'ten chars\n'.repeat(10_000) }))
  const part = await read.call({ path: 'many.txt' })
  expect(part).toMatchObject({ from: 1, to: 4800, of: 10_000, cut: false })
})

test('a binary file becomes an artifact', async () => {
  const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0)
  const folder = temporaryFolder({ 'a.png': png, 'latin.txt': Uint8Array.of(0xe9, 0x20, 0x61) })
  const results = await resultsOf(
    { tools: fileTools(folder) },
    ['read_file', { path: 'a.png' }],
    ['read_file', { path: 'latin.txt' }],
    ['edit_file', { path: 'latin.txt', old: 'a', new: 'b' }],
  )
  expect(results[0]?.artifacts).toMatchObject([{ kind: 'image', mediaType: 'image/png', size: 10 }])
  expect(results[0]?.content).toMatch(/^\{"artifact":"img_\w+","mediaType":"image\/png"\}$/)
  expect(results[1]?.artifacts).toMatchObject([{ kind: 'file', mediaType: 'application/octet-stream' }])
})

test('finds texts and regular expressions', async () => {
  const [, , search] = fileTools(temporaryFolder({ ...notes, 'z.bin': Uint8Array.of(0) }))
  const found = async (args: Parameters<typeof search.call>[0]) =>
    (await search.call(args)).matches.map(({ path, line }) => `${path}:${line}`)
  expect(await found({ query: 'two' })).toEqual(['a.md:2', 'b/d/e.txt:1'])
  expect(await found({ query: 'two', ignoreCase: true })).toEqual(['a.md:2', 'b/c.md:1', 'b/d/e.txt:1'])
  expect(await found({ query: '^[Tt]wo$', regex: true })).toEqual(['a.md:2', 'b/c.md:1'])
  expect(await found({ query: '^TWO$', regex: true, ignoreCase: true })).toHaveLength(2)
  expect(await found({ query: '.', path: 'b' })).toEqual([])
  expect((await search.call({ query: 'two' })).skipped).toBe(1)
  const tools = fileTools(temporaryFolder({ 'x.txt': 'y\n'.repeat(300), 'z.txt': 'y\n'.repeat(5000) }))
  const results = await resultsOf(
    { tools },
    ['search_files', { query: 'y', path: 'x.txt' }],
    ['search_files', { query: 'y', regex: true }],
  )
  expect(results[0]?.content).toContain('\n[200 more; narrow the query or the path]')
  expect(results[1]?.content).toMatch(/\[at least \d+ more;/)
})

test.each(['(a+)+$', '(a|a)*b', 'a*a*a*a*b', '[', '(?<=a', '\\_'])(
  'rejects the regular expression %j',
  async (query) => {
    const [, , search] = fileTools(temporaryFolder(notes))
    await expect(search.call({ query, regex: true })).rejects.toMatchObject({
      code: 'invalid_arguments',
      message: expect.stringMatching(/^The query (is not valid|can match)/),
    })
  },
)

slowTest('a slow regular expression ends with its thread', async () => {
  const [, , search] = fileTools(temporaryFolder({ 'a.txt': 'a'.repeat(1_000_000) }))
  await expect(search.call({ query: 'a*a*a*b', regex: true })).rejects.toThrow('took more than 5 s')
})

test('an abort ends a slow regular expression', async () => {
  const [, , search] = fileTools(temporaryFolder({ 'a.txt': 'a'.repeat(1_000_000) }))
  const aborter = new AbortController()
  const found = search.execute?.({ query: 'a*a*a*b', regex: true }, { signal: aborter.signal } as never)
  setImmediate(() => aborter.abort(new Error('enough')))
  await expect(found).rejects.toThrow('enough')
})

test('edits a text that is there exactly once', async () => {
  const folder = temporaryFolder({ ...notes, 'crlf.txt': 'a\r\nb\r\nc\r\n', 'bom.txt': '\ufeffx = 1;\n' })
  const [, , , edit] = fileTools(folder)
  expect(await edit.call({ path: 'a.md', old: 'two\n', new: '$& $1\n' })).toEqual({ path: 'a.md', line: 2 })
  expect(readFileSync(join(folder, 'a.md'), 'utf8')).toBe('one\n$& $1\nthree\n')
  await edit.call({ path: 'crlf.txt', old: 'a\nb', new: 'a\nx\nb' })
  expect(readFileSync(join(folder, 'crlf.txt'), 'utf8')).toBe('a\r\nx\r\nb\r\nc\r\n')
  await edit.call({ path: 'bom.txt', old: '1', new: '2' })
  expect(readFileSync(join(folder, 'bom.txt'), 'utf8')).toBe('\ufeffx = 2;\n')
  await edit.call({ path: 'crlf.txt', old: 'c\r\n', new: '' })
  expect(readFileSync(join(folder, 'crlf.txt'), 'utf8')).toBe('a\r\nx\r\nb\r\n')
})

test.each([
  ['two', 'The old text occurs 2 times in "b/d/e.txt", at lines 1, 1.'],
  ['o', 'The old text occurs 2 times'],
  ['none', 'The old text does not occur in "b/d/e.txt". Read the file'],
  ['two  two', 'Line 1 differs only in white space.'],
  ['', 'minLength'],
])('an edit of %j tells what is wrong', async (old, message) => {
  const folder = temporaryFolder(notes)
  const before = statSync(join(folder, 'b/d/e.txt')).mtimeMs
  const tools = fileTools(folder, { write: 'allow' })
  const [result] = await resultsOf({ tools }, ['edit_file', { path: 'b/d/e.txt', old, new: 'x' }])
  expect(result?.content).toMatch(old === '' ? /^Error: invalid arguments/ : /^Error: The old text/)
  if (old !== '') expect(result?.content).toContain(message)
  expect(statSync(join(folder, 'b/d/e.txt')).mtimeMs).toBe(before)
})

test('counts at most a hundred places', async () => {
  const [, , , edit] = fileTools(temporaryFolder({ a: 'x\n'.repeat(500) }))
  const edited = edit.call({ path: 'a', old: 'x', new: 'y' })
  await expect(edited).rejects.toThrow(
    'more than 100 times in "a", at lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ...',
  )
})

test('writes files with their folders, and keeps the mode', async () => {
  const folder = temporaryFolder({ 'run.sh': 'old' })
  chmodSync(join(folder, 'run.sh'), 0o751)
  const write = fileTools(folder)[4]
  expect(await write.call({ path: 'x/y/z.md', content: 'é' })).toEqual({
    path: 'x/y/z.md',
    created: true,
    bytes: 2,
  })
  expect(await write.call({ path: 'run.sh', content: 'new' })).toMatchObject({ created: false })
  expect(statSync(join(folder, 'run.sh')).mode & 0o777).toBe(0o751)
  expect(readFileSync(join(folder, 'run.sh'), 'utf8')).toBe('new')
  await expect(write.call({ path: 'x', content: '' })).rejects.toThrow('it is not a file')
  await expect(write.call({ path: '.', content: '' })).rejects.toThrow('it does not name a file')
  await expect(write.call({ path: 'run.sh/x', content: '' })).rejects.toThrow(CapstanError)
  await expect(write.call({ path: `${'n'.repeat(300)}`, content: '' })).rejects.toThrow(
    'its name is too long',
  )
  // No unfinished file is left.
  expect(readdirSync(folder).sort()).toEqual(['run.sh', 'x'])
})

test('a link within the folder is followed, and stays a link', async () => {
  const folder = temporaryFolder({ 'AGENTS.md': 'Be kind.\n', 'docs/a.md': 'A\n' })
  symlinkSync('AGENTS.md', join(folder, 'CLAUDE.md'))
  symlinkSync('docs', join(folder, 'pages'))
  const [list, read, , edit, write] = fileTools(folder)
  expect((await list.call({})).files).toEqual(['AGENTS.md', 'CLAUDE.md', 'docs/', 'docs/a.md'])
  expect(await read.call({ path: 'CLAUDE.md' })).toMatchObject({ path: 'AGENTS.md', text: 'Be kind.' })
  await edit.call({ path: 'CLAUDE.md', old: 'kind', new: 'quick' })
  expect(lstatSync(join(folder, 'CLAUDE.md')).isSymbolicLink()).toBe(true)
  await write.call({ path: 'pages/b/c.md', content: 'C' })
  expect(readFileSync(join(folder, 'docs/b/c.md'), 'utf8')).toBe('C')
})

test('calls on one file run one after the other, through each path to it', async () => {
  const folder = temporaryFolder({ 'a.txt': '0' })
  symlinkSync('a.txt', join(folder, 'link.txt'))
  const calls = Array.from({ length: 20 }, (_, at) =>
    reply.call('edit_file', {
      path: ['a.txt', './a.txt', 'link.txt'][at % 3],
      ...{ old: String(at), new: String(at + 1) },
    }),
  )
  const model = scriptedModel([reply.calls(...calls), reply.text('Done.')])
  const agent = new Agent({ model, tools: fileTools(folder, { write: 'allow' }) })
  const { toolCalls } = await agent.run('Count.')
  expect(toolCalls.map(({ content }) => content)).toEqual(Array(20).fill('Edited a.txt at line 1.'))
  expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('20')
})

test('a file that changes between reading and writing is not overwritten', async () => {
  const folder = temporaryFolder({ 'a.txt': 'one' })
  const path = join(folder, 'a.txt')
  const { Folder } = await import('../src/folder/folder.js')
  const within = new Folder(folder, 'test')
  const before = await within.read('a.txt')
  writeFileSync(path, 'of a person')
  await expect(within.write('a.txt', new Uint8Array(), before)).rejects.toMatchObject({ code: 'conflict' })
  expect(readFileSync(path, 'utf8')).toBe('of a person')
})

test('writing asks by default', async () => {
  const folder = temporaryFolder(notes)
  const call = reply.call('write_file', { path: 'new.md', content: 'x' })
  const run = (write?: 'ask' | 'allow') =>
    new Agent({
      model: scriptedModel([call, reply.text('Done.')]),
      tools: fileTools(folder, write && { write }),
    }).run('Write.')
  const asked = await run()
  expect(asked.pending).toMatchObject([{ name: 'write_file', kind: 'approval' }])
  expect(readdirSync(folder)).not.toContain('new.md')
  expect((await run('allow')).pending).toBeUndefined()
  expect(readFileSync(join(folder, 'new.md'), 'utf8')).toBe('x')
  expect(fileTools(folder, { write: false }).map(({ name }) => name)).toEqual([
    'list_files',
    'read_file',
    'search_files',
  ])
})

test('once an untrusted file was read, writing asks', async () => {
  const folder = temporaryFolder(notes)
  const script = () =>
    scriptedModel([
      reply.call('read_file', { path: 'a.md' }),
      reply.call('write_file', { path: 'new.md', content: 'x' }),
      reply.text('Done.'),
    ])
  const run = (untrusted: boolean) =>
    new Agent({ model: script(), tools: fileTools(folder, { write: 'allow', untrusted }) }).run('Write.')
  expect((await run(true)).pending).toMatchObject([{ name: 'write_file' }])
  expect((await run(false)).stopReason).toBe('done')
})

test('rejects wrong options at once', () => {
  const folder = temporaryFolder()
  const wrong = (...given: readonly unknown[]) => Reflect.apply(fileTools, undefined, given)
  expect(() => wrong(folder, { wirte: false })).toThrow(
    'fileTools has no option "wirte". Did you mean "write"? Options: folder, write, ignore, untrusted.',
  )
  expect(() => wrong(folder, { write: true })).toThrow(
    'fileTools: write is true. Use "ask", "allow" or false.',
  )
  expect(() => wrong(folder, { ignore: 'dist' })).toThrow('Use an array of names')
  expect(() => wrong(undefined)).toThrow('fileTools: folder is required. Use the path of a folder.')
  expect(() => wrong(join(folder, 'none'))).toThrow('fileTools: there is no folder "none".')
  try {
    wrong(join(folder, 'none'))
  } catch (error) {
    expect(error).toMatchObject({ code: 'not_found' })
    expect(JSON.stringify(error) + String(error)).not.toContain(folder)
  }
})
