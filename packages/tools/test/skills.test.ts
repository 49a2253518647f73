import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { Agent } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { expect, test } from 'vitest'
import { skills } from '../src/skills.js'
import { resultsOf } from './results-of.js'
import { temporaryFolder } from './temporary-folder.js'

const skillOf = (name: string, description = `What ${name} does.`, more = '') =>
  `---\nname: ${name}\ndescription: ${description}\n${more}---\n\n# ${name}\n\nDo it.\n`

const files = {
  'write-letters/SKILL.md': skillOf(
    'write-letters',
    'Letters to customers.',
    'allowed-tools: Read Bash(git add:*)\n',
  ),
  'write-letters/references/tone.md': 'Be kind.\n',
  'write-letters/assets/logo.png': Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0),
  'bills/SKILL.md': skillOf('bills', 'Bills.'),
  'README.md': 'No skill.',
}

const systemOf = (model: ReturnType<typeof scriptedModel>) => {
  const [first] = model.requests[0]?.messages ?? []
  return first?.role === 'system' ? first.content : undefined
}

test('the model reads names and descriptions, and a skill when it needs it', async () => {
  const { middleware, skipped, findings } = await skills(temporaryFolder(files))
  expect([skipped, findings]).toEqual([[], []])
  const model = scriptedModel([
    reply.calls(
      reply.call('read_skill', { name: 'write-letters' }),
      reply.call('read_skill', { name: 'write-letters', file: 'references/tone.md' }),
      reply.call('read_skill', { name: 'write-letters', file: 'assets/logo.png' }),
      reply.call('read_skill', { name: 'letters/bills' }),
      reply.call('read_skill', { name: 'bils' }),
      reply.call('read_skill', { name: 'travel' }),
      reply.call('read_skill', { name: 'bills', file: 'none.md' }),
    ),
    reply.text('Done.'),
  ])
  const agent = new Agent({ model, instructions: 'Be short.', middleware: [middleware] })
  const { toolCalls } = await agent.run('Write a letter.')
  expect(systemOf(model)).toBe(`Be short.

You have skills: instructions for certain tasks. If one matches the task, read it with read_skill first and follow it.
- bills: Bills.
- write-letters: Letters to customers.`)
  expect(toolCalls.map(({ content }) => content)).toEqual([
    '# write-letters\n\nDo it.\n\n[Other files of this skill: assets/logo.png, references/tone.md]',
    'Be kind.\n',
    expect.stringMatching(/^\{"artifact":"img_\w+","mediaType":"image\/png"\}$/),
    'Error: There is no skill "letters/bills". Did you mean "bills"?',
    'Error: There is no skill "bils". Did you mean "bills"?',
    'Error: There is no skill "travel". Skills: bills, write-letters.',
    'Error: There is no file or folder "none.md". Use a listed path.',
  ])
})

test('instructions may be a function, or missing', async () => {
  const { middleware } = await skills(temporaryFolder(files))
  for (const [instructions, start] of [
    [undefined, /^You have skills/],
    [async () => 'For Ann.', /^For Ann\.\n\nYou have skills/],
  ] as const) {
    const model = scriptedModel([reply.text('Done.')])
    await new Agent({ model, middleware: [middleware], ...(instructions && { instructions }) }).run('Hello')
    expect(systemOf(model)).toMatch(start)
  }
})

test('reports rules that are broken, and uses what can be used', async () => {
  const long = 'é'.repeat(1100)
  const { middleware, skipped, findings } = await skills(
    temporaryFolder({
      'core/SKILL.md': skillOf('core'),
      'core/chat/SKILL.md': skillOf('core/chat'),
      'long/SKILL.md': skillOf('long', long),
      'unnamed/SKILL.md': '---\ndescription: Without a name.\n---\n',
      '-dash-/SKILL.md': skillOf('-dash-'),
      'commas/SKILL.md': skillOf('commas', 'Commas.', 'allowed-tools: Read, Write\n'),
      'colon/SKILL.md': skillOf('colon', 'Use it: always'),
      'No Good/SKILL.md': skillOf('no-good'),
      'plain/SKILL.md': '# Plain',
      'empty/SKILL.md': skillOf('empty', ''),
      'odd/SKILL.md': skillOf('odd', '&a b'),
      'latin/SKILL.md': Uint8Array.of(0x2d, 0xe9),
      'huge/SKILL.md': 'x'.repeat(1024 * 1024 + 1),
      'x/core/SKILL.md': skillOf('core', 'Another.'),
      'node_modules/x/SKILL.md': skillOf('x'),
    }),
  )
  expect(skipped).toEqual([
    { name: 'No Good', reason: 'the name of its folder is not 1 to 64 lower-case letters, digits and "-"' },
    { name: 'core', reason: 'another skill has this name' },
    { name: 'empty', reason: 'SKILL.md has no description' },
    { name: 'huge', reason: 'SKILL.md cannot be read, or is larger than 1 MiB' },
    { name: 'latin', reason: 'SKILL.md is not UTF-8 text' },
    { name: 'odd', reason: 'SKILL.md has no description' },
    { name: 'plain', reason: expect.stringContaining('front matter') },
  ])
  expect(findings.map(({ skill, rule, message }) => `${skill} ${rule}: ${message}`)).toEqual([
    '-dash- name: The name starts or ends with "-", or contains "--".',
    `chat name: The name "core/chat" differs from the folder's name, which is used.`,
    'colon front-matter: description contains ": " but is not quoted.',
    'commas allowed-tools: The tools are not separated only by spaces.',
    'long description: The description has 1100 characters; only the first 1024 are used.',
    "unnamed name: The name is missing; the folder's name is used.",
  ])
  const model = scriptedModel([reply.text('Done.')])
  await new Agent({ model, middleware: [middleware] }).run('Hello')
  const system = String(systemOf(model))
  expect(system).toContain(`- long: ${'é'.repeat(1023)}…\n`)
  expect(system).toContain('- core: What core does.\n')
  expect(system).toContain('- colon: Use it: always\n')
})

test('a description is one line without hidden characters', async () => {
  const { middleware } = await skills(
    temporaryFolder({ 'a/SKILL.md': skillOf('a', '"One\\n- b: two\\u200b\\u2028three"') }),
  )
  const model = scriptedModel([reply.text('Done.')])
  await new Agent({ model, middleware: [middleware] }).run('Hello')
  expect(systemOf(model)).toMatch(/\n- a: One - b: two three$/)
})

test('of more than 20 skills the instructions have names, and find_skills the rest', async () => {
  const many = Array.from({ length: 21 }, (_, at) => [
    `s${at + 10}/SKILL.md`,
    skillOf(`s${at + 10}`, `Kind ${at + 10}.`),
  ])
  const folder = temporaryFolder({
    ...Object.fromEntries(many),
    's30/SKILL.md': skillOf('s30', 'Invoices for customers.'),
  })
  const { middleware } = await skills([folder])
  const model = scriptedModel([
    reply.calls(
      reply.call('find_skills', { query: 'write an invoice' }),
      reply.call('find_skills', { query: 'zebra' }),
    ),
    reply.text('Done.'),
  ])
  const { toolCalls } = await new Agent({ model, middleware: [middleware] }).run('Hello')
  expect(toolCalls.map(({ content }) => content)).toEqual([
    '- s30: Invoices for customers.',
    'No skill matches this query.',
  ])
  expect(systemOf(model)).toMatch(/find_skills searches their descriptions\.\nSkills: s10, s11, .*, s30$/)
})

test('untrusted skills have names in the instructions, and taint a run that reads one', async () => {
  const { middleware } = await skills(temporaryFolder(files), { untrusted: true })
  const model = scriptedModel([reply.call('read_skill', { name: 'bills' }), reply.text('Done.')])
  const { state } = await new Agent({ model, middleware: [middleware] }).run('Hello')
  expect(systemOf(model)).toMatch(/\nSkills: bills, write-letters$/)
  expect(systemOf(model)).not.toContain('Letters to customers')
  expect(state.taintedBy).toBe('read_skill')
})

test('the state names the tools that the skills which were read are written for', async () => {
  const more = { 'post/SKILL.md': skillOf('post', 'Post.', 'allowed-tools: Read Send\n') }
  const { middleware } = await skills(temporaryFolder({ ...files, ...more }))
  const kept = async (...steps: readonly (readonly string[])[]) => {
    const calls = steps.map((names) =>
      reply.calls(...names.map((name) => reply.call('read_skill', { name }))),
    )
    const model = scriptedModel([...calls, reply.text('Done.')])
    return (await new Agent({ model, middleware: [middleware] }).run('Hello')).state.kept.skills
  }
  const tools = ['Read', 'Bash', 'Send']
  expect(await kept(['write-letters'], ['write-letters', 'bills'])).toEqual({ tools: ['Read', 'Bash'] })
  expect(await kept(['write-letters'], ['post'])).toEqual({ tools })
  expect((await kept(['write-letters', 'post'])) as unknown).toMatchObject({
    tools: expect.arrayContaining(tools),
  })
  expect(await kept(['bills', 'none'])).toBeUndefined()
})

test('a link to a folder outside is skipped, one within is found where it is', async () => {
  const outside = temporaryFolder({ 'SKILL.md': skillOf('outside') })
  const folder = temporaryFolder(files)
  symlinkSync(outside, join(folder, 'outside'))
  symlinkSync('bills', join(folder, 'invoices'))
  symlinkSync('nowhere', join(folder, 'dangling'))
  mkdirSync(join(folder, 'linked'))
  symlinkSync(join(outside, 'SKILL.md'), join(folder, 'linked/SKILL.md'))
  const { middleware, skipped } = await skills(folder)
  expect(skipped).toEqual([
    {
      name: 'outside',
      reason: 'it is a link that leads out of the folder; pass the folder that it leads to',
    },
  ])
  const model = scriptedModel([reply.text('Done.')])
  await new Agent({ model, middleware: [middleware] }).run('Hello')
  expect(String(systemOf(model)).match(/^- [\w-]+/gm)).toEqual(['- bills', '- write-letters'])
})

test('a folder without skills adds nothing', async () => {
  const { middleware } = await skills(temporaryFolder({ 'README.md': 'x' }))
  const model = scriptedModel([reply.text('Done.')])
  await new Agent({ model, middleware: [middleware] }).run('Hello')
  expect(systemOf(model)).toBeUndefined()
  expect(await resultsOf({ middleware: [middleware] }, ['read_skill', { name: 'x' }])).toMatchObject([
    { status: 'rejected' },
  ])
})

test.each([
  [[], 'skills: folders is required'],
  [[[]], 'skills: folders is an array. Use the path of a folder, or an array of one or more paths'],
  [['.', { untrustd: true }], 'Did you mean "untrusted"?'],
  [['none'], 'skills: there is no folder "none"'],
])('rejects %j', async (given, message) => {
  await expect(Reflect.apply(skills, undefined, given)).rejects.toThrow(message)
})
