import { basename, dirname } from 'node:path'
import { CapstanError } from '@capstan/core'
import { toText } from '../folder/content.js'
import { Folder } from '../folder/folder.js'
import { ignoring } from '../folder/path.js'
import { linksOut, walk } from '../folder/walk.js'
import { type FrontMatter, readFrontMatter } from './front-matter.js'

/** A way in which a skill violates the format. The skill is used anyway. */
export interface SkillFinding {
  readonly skill: string
  readonly rule: 'name' | 'description' | 'allowed-tools' | 'front-matter'
  readonly message: string
}

/** A skill that cannot be used. */
export interface SkippedSkill {
  /** The name of the skill's folder. */
  readonly name: string
  readonly reason: string
}

/** A skill, without its instructions. */
export interface Skill {
  /** The folder's name. */
  readonly name: string
  /** The description, on one line. */
  readonly description: string
  /** The names in the field `allowed-tools`, without their parts in parentheses. */
  readonly allowedTools: readonly string[]
  readonly folder: Folder
}

export interface LoadedSkills {
  /** The skills, ordered by name. */
  readonly skills: readonly Skill[]
  readonly skipped: readonly SkippedSkill[]
  readonly findings: readonly SkillFinding[]
}

export const skillFile = 'SKILL.md'
const maxFileBytes = 1024 * 1024
/** The maximum number of files and folders to visit in each given folder. */
const mostEntries = 50_000

/**
 * Reads all skills in the given folders, at any depth.
 * @throws CapstanError `not_found` for a folder that does not exist, `invalid_request` for a folder with too many files
 */
export async function loadSkills(folders: readonly string[]): Promise<LoadedSkills> {
  const byName = new Map<string, Skill>()
  const skipped: SkippedSkill[] = []
  const findings: SkillFinding[] = []
  for (const given of folders) {
    const within = new Folder(given, 'skills', ignoring(['node_modules', '.git'], 'skills'))
    for (const real of await skillFoldersIn(within, skipped)) {
      const name = basename(real)
      const read = await readSkill(real, name)
      if (typeof read === 'string') skipped.push({ name, reason: read })
      else if (byName.has(name)) skipped.push({ name, reason: 'another skill has this name' })
      else {
        byName.set(name, read.skill)
        findings.push(...read.findings)
      }
    }
  }
  const inOrder = <One>(list: readonly One[], of: (one: One) => string) =>
    list.toSorted((one, other) => (of(one) < of(other) ? -1 : Number(of(one) > of(other))))
  return {
    skills: inOrder([...byName.values()], ({ name }) => name),
    skipped: inOrder(skipped, ({ name }) => name),
    findings: inOrder(findings, ({ skill }) => skill),
  }
}

async function skillFoldersIn(within: Folder, skipped: SkippedSkill[]): Promise<readonly string[]> {
  const folders: string[] = []
  let count = 0
  for await (const { real, isFolder } of walk(within, '')) {
    if (!isFolder && basename(real) === skillFile) folders.push(dirname(real))
    if (++count > mostEntries) {
      const message = `skills: a folder contains more than ${mostEntries} files. Pass a folder that contains only skills.`
      throw new CapstanError('invalid_request', message)
    }
  }
  for (const name of await linksOut(within))
    skipped.push({
      name,
      reason: 'it is a link that leads out of the folder; pass the folder that it leads to',
    })
  return folders
}

interface ReadSkill {
  readonly skill: Skill
  readonly findings: readonly SkillFinding[]
}

/** Returns the skill in a folder, or the reason to skip it. */
async function readSkill(real: string, name: string): Promise<ReadSkill | string> {
  if (!/^[a-z0-9-]{1,64}$/.test(name))
    return 'the name of its folder is not 1 to 64 lower-case letters, digits and "-"'
  const folder = new Folder(real, 'skills')
  let text: string | undefined
  try {
    text = toText((await folder.read(skillFile, maxFileBytes)).bytes)
  } catch (error) {
    if (error instanceof CapstanError) return `${skillFile} cannot be read, or is larger than 1 MiB`
    throw error
  }
  if (text === undefined) return `${skillFile} is not UTF-8 text`
  const head = readFrontMatter(text)
  if (!head) return `${skillFile} does not start with front matter: fields between two "---" lines`
  const findings: SkillFinding[] = []
  const find = (rule: SkillFinding['rule'], message: string) =>
    findings.push({ skill: name, rule, message: `${message}.` })
  for (const { field, message } of head.problems) if (used.includes(field)) find('front-matter', message)
  const description = oneLine(head.fields.get('description'))
  if (description === '') return `${skillFile} has no description`
  checkName(head, name, find)
  const skill = {
    name,
    description: cutDescription(description, find),
    allowedTools: toolNamesOf(head.fields.get('allowed-tools'), find),
    folder,
  }
  return { skill, findings }
}

const used = ['name', 'description', 'allowed-tools']

type Find = (rule: SkillFinding['rule'], message: string) => void

/** Joins a value into one line, without invisible characters. */
function oneLine(value: string | readonly string[] | undefined): string {
  const text = typeof value === 'string' ? value : ''
  return text
    .replace(/[\p{Cc}\p{Zs}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/\p{Cf}/gu, '')
    .trim()
}

function checkName({ fields }: FrontMatter, name: string, find: Find): void {
  const own = oneLine(fields.get('name'))
  if (own === '') find('name', "The name is missing; the folder's name is used")
  else if (own !== name)
    find(
      'name',
      `The name ${JSON.stringify(own.slice(0, 100))} differs from the folder's name, which is used`,
    )
  if (/^-|-$|--/.test(name)) find('name', 'The name starts or ends with "-", or contains "--"')
}

const mostCharacters = 1024

function cutDescription(description: string, find: Find): string {
  const characters = [...description]
  if (characters.length <= mostCharacters) return description
  find(
    'description',
    `The description has ${characters.length} characters; only the first ${mostCharacters} are used`,
  )
  return `${characters.slice(0, mostCharacters - 1).join('')}…`
}

/** Parses the names in a value such as `Read Bash(git status:*)`. The parts in parentheses are ignored. */
function toolNamesOf(value: string | readonly string[] | undefined, find: Find): readonly string[] {
  if (value === undefined) return []
  const isText = typeof value === 'string'
  const text = isText ? value : value.join(' ')
  const words = text.match(/[^\s(]+(?:\([^)]*\)?)?|\(/g) ?? []
  if (!isText || words.some((word) => /^,|,$/.test(word)))
    find('allowed-tools', 'The tools are not separated only by spaces')
  const names = words.map((word) => word.replace(/\([\s\S]*$/, '').replace(/^,+|,+$/g, ''))
  return [...new Set(names.flatMap((name) => name.split(',')))].filter((name) => name !== '')
}
