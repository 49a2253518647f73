import { toToolName } from './to-tool-name.js'

/** The names of the tools, and what comes in their place: again, in pieces, with something around them. */
export class ToolNames {
  readonly #toTool: (name: string) => string | undefined

  /** `isTool` knows whole names. */
  constructor(isTool: (name: string) => boolean) {
    this.#toTool = (name) => toToolName(name, isTool)
  }

  /** Whether a name means a tool. */
  has(name: string): boolean {
    return this.#toTool(name) !== undefined
  }

  /** Whether two names mean something else. */
  differ(one: string, other: string): boolean {
    return one !== other && (this.#toTool(one) ?? one) !== (this.#toTool(other) ?? other)
  }

  /** Whether a name is the next piece of the one before it. Once there are arguments, that of a tool is whole. */
  goesOn(before: string, name: string, hasArguments: boolean): boolean {
    return !(hasArguments && this.has(before)) && this.has(before + name)
  }

  /** A name so far and what came next: nothing, the same again, or a piece. Another one amid arguments fits no tool. */
  joined(before: string, name: string, hasArguments: boolean): string {
    if (before === '') return name
    if (name.trim() === '' || before.length > longest || !this.differ(before, name)) return before
    if (hasArguments && this.has(before)) return `${before} ${name}`
    return name.startsWith(before) ? name : before + name
  }
}

/** No tool has a longer name: what goes on and on is none. */
const longest = 200
