// The cells as a script of a page.
import { runCells } from './cells.js'

Object.assign(globalThis, { runCells })
