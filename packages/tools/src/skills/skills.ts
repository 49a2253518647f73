import type { CallRecord, Json, Middleware, RunView } from '@capstan/core'
import { checkRequiredOption } from '@capstan/core/internal'
import { loadSkills, type Skill, type SkillFinding, type SkippedSkill } from './load-skills.js'
import { findSkills, readSkill } from './skill-tools.js'

export interface SkillsOptions {
  /**
   * Whether the skills come from an untrusted source. If so, the instructions contain only the skills' names, and calls
   * that can change data need approval after the model has read a skill. Default false.
   */
  readonly untrusted?: boolean
}

/** The skills that were found in the folders. */
export interface Skills {
  /**
   * Adds the skills to the instructions, and the tool `read_skill`. If there are more than 20 skills, or they are
   * untrusted, also adds `find_skills`.
   */
  readonly middleware: Middleware & { readonly tools: readonly SkillTool[] }
  /** Skills that cannot be used, and why. */
  readonly skipped: readonly SkippedSkill[]
  /** Violations of the skill format by skills that are used anyway. */
  readonly findings: readonly SkillFinding[]
}

/** A tool that the middleware adds. */
export type SkillTool = ReturnType<typeof readSkill> | ReturnType<typeof findSkills>

/**
 * The maximum number of skills to describe in the instructions. If there are more, the instructions contain only their
 * names.
 */
const mostDescribed = 20

/**
 * Reads the skills in one or more folders. A skill is a folder with a `SKILL.md` file in the format of agentskills.io.
 * The model gets all names and descriptions, and reads a skill's text when it needs it. Scripts in skills never run.
 * @throws CapstanError `not_found` if a folder does not exist, `invalid_request` for an unknown or invalid option
 */
export async function skills(
  folders: string | readonly string[],
  options: SkillsOptions = {},
): Promise<Skills> {
  checkRequiredOption({ ...options, folders }, optionKinds, { of: 'skills', required: 'folders' })
  const { untrusted = false } = options
  const { skills: all, skipped, findings } = await loadSkills([folders].flat())
  const isDescribed = all.length <= mostDescribed && !untrusted
  const text = isDescribed ? describedIn(all) : namedIn(all)
  const read = readSkill(all, { untrusted })
  const tools: readonly SkillTool[] = isDescribed ? [read] : [read, findSkills(all, { untrusted })]
  const hooks: Pick<Middleware, 'beforeModel' | 'afterStep'> = {
    beforeModel: ({ instructions }) => ({ instructions: withText(instructions, text) }),
    afterStep: (results, run) => withTools(all, results, run),
  }
  const middleware = all.length === 0 ? { name, tools: [] } : { name, tools, ...hooks }
  // For `capstan check`, which shows them.
  Object.defineProperty(middleware, Symbol.for('capstan.skills'), { value: { skipped, findings } })
  return { middleware, skipped, findings }
}

const name = 'skills'

const optionKinds = {
  folders: [
    'the path of a folder, or an array of one or more paths',
    (value: unknown) =>
      [value].flat().length > 0 && [value].flat().every((one) => typeof one === 'string' && one !== ''),
  ],
  untrusted: ['true or false', (value: unknown) => typeof value === 'boolean'],
} as const

function describedIn(all: readonly Skill[]): string {
  const list = all.map(({ name, description }) => `- ${name}: ${description}`)
  return `${introduction}\n${list.join('\n')}`
}

/** Text for the model. */
const introduction =
  'You have skills: instructions for certain tasks. If one matches the task, read it with read_skill first and follow it.'

function namedIn(all: readonly Skill[]): string {
  const list = all.map(({ name }) => name).join(', ')
  // Text for the model.
  return `${introduction} find_skills searches their descriptions.\nSkills: ${list}`
}

type Given = Parameters<NonNullable<Middleware['beforeModel']>>[0]['instructions']

function withText(instructions: Given, text: string): Given {
  if (typeof instructions === 'function') return async (context) => joined(await instructions(context), text)
  return joined(instructions, text)
}

function joined(instructions: string | undefined, text: string): string {
  return instructions ? `${instructions}\n\n${text}` : text
}

/**
 * Stores the names of the tools that are needed by skills that the model has read, so that tool search reveals the
 * deferred ones.
 */
function withTools(
  all: readonly Skill[],
  results: readonly CallRecord[],
  { kept }: RunView,
): { readonly state: Json } | undefined {
  const read = results.filter(({ name, status }) => name === 'read_skill' && status === 'ok')
  const names = read.map(({ arguments: args }) => Object(args).name)
  const found = all.filter((skill) => names.includes(skill.name)).flatMap(({ allowedTools }) => allowedTools)
  const { tools: known = [] } = Object(kept[name]) as { readonly tools?: readonly string[] }
  const tools = [...new Set([...known, ...found])]
  return tools.length === known.length ? undefined : { state: { tools } }
}
