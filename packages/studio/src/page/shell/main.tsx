import { render } from 'preact'
import { startState } from '../api/state.js'
import { startKeys } from './keys.js'
import { startRouting } from './route.js'
import { Shell } from './shell.js'
import { startTheme } from './theme.js'

startTheme()
startRouting()
startKeys()
startState()
const root = document.getElementById('app')
if (root) render(<Shell />, root)
performance.mark('studio:ready')
