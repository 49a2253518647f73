import * as z from 'zod'

/** One framework, through its public entries, as its docs use them. */
export interface Peer {
  /** Of its file, without the ending. */
  readonly name: string
  /** An agent over the scripted server. */
  open(setup: Setup): Opened | Promise<Opened>
  /** Features of cases that the framework has. */
  readonly features: readonly Feature[]
  /** What a model has to write for them: calls whose names and arguments are the framework's own. */
  readonly script?: Script
  /** By the id of a case: the option that changes what happens. It is set with `isMended`. */
  readonly mends?: Readonly<Record<string, string>>
}

/** The schema of the feature `output`. */
export const answerSchema = z.object({ nights: z.number() })

/** The limit of the feature `token limit`. */
export const mostTokens = 100

/** The tokens of the feature `shared budget`. */
export const sharedTokens = 1000

export interface Script {
  /** Searches for a tool of this name. */
  readonly search?: (name: string) => object
  /** Runs a program that calls a tool, and returns its result. */
  readonly program?: (name: string, args: object) => object
  /** Gives the agent `clerk` a task. */
  readonly ask?: (task: string) => object
  /** The call that gives a typed answer, where that is a tool; `at` counts them from 0. */
  readonly answer?: (value: object, at: number) => object
}

/** What some frameworks have, and others do not. */
export type Feature =
  /** Calls wait for a decision. */
  | 'approvals'
  /** A function decides whether a call waits. */
  | 'approval function'
  /** A program that the model writes calls the tools. */
  | 'code mode'
  /** The model searches for tools. */
  | 'tool search'
  /** An agent is a tool of another agent. */
  | 'agents'
  /** A route for the messages of a chat page. */
  | 'chat'
  /** A run has a limit of tokens. */
  | 'token limit'
  /** An answer has a schema. */
  | 'output'
  /** A run that another process continues. */
  | 'recovery'
  /** Tools of an MCP server. */
  | 'mcp'
  /** Many runs share a budget. */
  | 'shared budget'

export interface Setup {
  /** Address of the server, including `/v1`. */
  readonly baseURL: string
  readonly apiKey: string
  readonly tools: readonly ToolSpec[]
  /** What the case is about, where the framework has something for it. */
  readonly feature?: Feature
  /** The id of the case. */
  readonly id: string
  /** With the option of the framework that mends what its defaults do (`mends`). */
  readonly isMended?: boolean
  /** Where state is kept that outlives the process, in frameworks that keep it. With `recovery` a folder of the disk. */
  readonly folder?: string
  /** Address of the MCP server, with the feature `mcp`. */
  readonly mcpURL?: string
}

export interface ToolSpec {
  readonly name: string
  readonly description: string
  readonly parameters: z.ZodObject
  /** What runs. The runner notes each call. `key` is what the framework gives to recognize a call that runs again. */
  execute(args: Record<string, unknown>, signal?: AbortSignal, key?: string): unknown
  /** The function of `'throws'` throws. */
  readonly needsApproval?: boolean | 'throws'
  /** Its results are text of others. */
  readonly untrusted?: boolean
}

export interface Opened {
  run(input: Input, options?: RunOptions): Promise<Outcome>
  /** Continues a run that waits. Missing where calls cannot wait. */
  resume?(kept: string, decisions: Readonly<Record<string, boolean>>): Promise<Outcome>
  /** The route of a chat page, as the docs have it: messages of the client to a stream. Missing where there is none. */
  chat?(body: ChatBody): Promise<string>
  /** Starts a run that outlives its process. Missing where there is none. */
  start?(runId: string): Promise<Outcome>
  /** Continues it, in another process. */
  recover?(runId: string): Promise<Outcome>
  /** Closes what is open: connections to MCP servers. */
  close?(): Promise<unknown>
}

/** A text of the user, or a stored conversation. */
export type Input = string | readonly HistoryMessage[]

/** A message of a conversation, in no framework's own form. */
export type HistoryMessage =
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'call'; readonly call: ClientCall }

export interface RunOptions {
  readonly signal?: AbortSignal
  /** Streams to the caller; each piece of text is given to it. */
  onText?(text: string): void
}

export interface ChatBody {
  readonly messages: readonly ClientMessage[]
}

/** A message as a page sends it, in no framework's own form. */
export type ClientMessage =
  | { readonly role: 'user' | 'assistant'; readonly text: string }
  /** `isPlain`: as on the wire, `{ role, content }`. */
  | { readonly role: 'system'; readonly text: string; readonly isPlain: boolean }
  | { readonly role: 'user'; readonly text: string; readonly url: string; readonly mediaType: string }
  /** A call that the client says the model made, with a result or an approval that it says it has. */
  | { readonly role: 'call'; readonly call: ClientCall }

export interface ClientCall {
  readonly id: string
  readonly name: string
  readonly arguments: object
  readonly result?: unknown
  readonly approved?: boolean
  /** It has neither. */
  readonly open?: boolean
}

export interface Outcome {
  readonly text?: unknown
  /** Calls that wait for a decision. */
  readonly pending?: readonly { readonly id: string; readonly name: string; readonly arguments: unknown }[]
  /** What the caller keeps of a run that waits: its state, or a reference to it. */
  readonly kept?: string
  /** Why it ended, in the framework's word. */
  readonly end?: string | undefined
  /** The parsed answer, with the feature `output`. */
  readonly output?: unknown
}
