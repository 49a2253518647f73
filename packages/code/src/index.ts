export { type CodeModeOptions, codeMode } from './code-mode.js'
export type { ProgramBounds } from './engine/program.js'
export { programCalls } from './program-calls.js'
export type { ProgramCall, ProgramResult } from './run-program.js'
