import { type Artifact, CapstanError, tool } from '@capstan/core'
import { suggest } from '@capstan/core/internal'
import MiniSearch from 'minisearch'
import { storeFile, toText } from '../folder/content.js'
import { walk } from '../folder/walk.js'
import { parameters } from '../parameters.js'
import { readFrontMatter } from './front-matter.js'
import { type Skill, skillFile } from './load-skills.js'

/** The maximum number of other files to list with a skill's instructions. */
const mostFiles = 50

/** Creates the tool `read_skill`, which returns text files as text and other files as artifacts. */
export function readSkill(all: readonly Skill[], settings: { readonly untrusted: boolean }) {
  return tool({
    name: 'read_skill',
    description: 'Read the instructions of a skill, or another of its files.',
    parameters: parameters(
      {
        name: { type: 'string', description: 'Name of the skill' },
        file: {
          type: 'string',
          description:
            'Path of a file of the skill, such as "references/forms.md". Default: its instructions',
        },
      },
      ['name'],
    ),
    effects: 'read',
    ...settings,
    async execute({ name, file = skillFile }, { artifacts, signal }): Promise<SkillText | Artifact> {
      const { folder } = skillNamed(all, name)
      const { path: real, bytes } = await folder.read(file)
      const text = toText(bytes)
      const shown = folder.shown(real)
      if (text === undefined) return storeFile(bytes, `${name}/${shown}`, artifacts)
      if (shown !== skillFile) return { skill: name, file: shown, text, files: [], more: 0 }
      const files: string[] = []
      for await (const { real, isFolder } of walk(folder, '', { signal })) {
        if (isFolder || folder.shown(real) === skillFile) continue
        files.push(folder.shown(real))
        if (files.length > 10 * mostFiles) break
      }
      const body = readFrontMatter(text)?.body ?? text
      const more = Math.max(0, files.length - mostFiles)
      return { skill: name, file: shown, text: body.trim(), files: files.slice(0, mostFiles), more }
    },
    toModel(read) {
      if (!('text' in read)) return read
      const { text, files, more } = read
      if (files.length === 0) return text
      const rest = more > 0 ? ` and ${more} more` : ''
      return `${text}\n\n[Other files of this skill: ${files.join(', ')}${rest}]`
    },
  })
}

/** The result of `read_skill` for a text file. */
export interface SkillText {
  readonly skill: string
  readonly file: string
  readonly text: string
  /** The paths of the skill's other files. Empty unless `file` is `SKILL.md`. */
  readonly files: readonly string[]
  /** How many files `files` omits. Counting stops after 500 files. */
  readonly more: number
}

function skillNamed(all: readonly Skill[], name: string): Skill {
  const found = all.find((skill) => skill.name === name)
  if (found) return found
  const names = all.map((skill) => skill.name)
  const last = name.split('/').at(-1) ?? ''
  const meant = names.includes(last) ? last : suggest(name, names)
  const shown = names.slice(0, 20).join(', ') + (names.length > 20 ? ', ...' : '')
  const advice = meant === undefined ? `Skills: ${shown}.` : `Did you mean "${meant}"?`
  const message = `There is no skill ${JSON.stringify(name.slice(0, 64))}. ${advice}`
  throw new CapstanError('not_found', message)
}

/** The maximum number of skills that a search returns. */
const mostFound = 5

/** Creates the tool `find_skills`, which searches names and descriptions. */
export function findSkills(all: readonly Skill[], settings: { readonly untrusted: boolean }) {
  const index = new MiniSearch<Skill>({
    idField: 'name',
    fields: ['name', 'description'],
    searchOptions: { boost: { name: 2 }, prefix: true, fuzzy: 0.2 },
  })
  index.addAll(all)
  return tool({
    name: 'find_skills',
    description: `Find the skills for a task, at most ${mostFound}, with their descriptions.`,
    parameters: parameters(
      { query: { type: 'string', maxLength: 500, description: 'What the task is about' } },
      ['query'],
    ),
    effects: 'read',
    ...settings,
    execute({ query }): readonly FoundSkill[] {
      const names = index.search(query).map(({ id }) => id)
      return names.slice(0, mostFound).flatMap((name) => {
        const skill = all.find((one) => one.name === name)
        return skill ? [{ name: skill.name, description: skill.description }] : []
      })
    },
    toModel: (found) =>
      found.map(({ name, description }) => `- ${name}: ${description}`).join('\n') ||
      'No skill matches this query.',
  })
}

export interface FoundSkill {
  readonly name: string
  readonly description: string
}
