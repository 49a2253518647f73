// The studio starts this program in a new process for each version of an agent file.

import { serveAgents } from '@capstan/studio/worker'
import { loadedByJiti, loadFile } from './load-file.js'

serveAgents({ loadFile, loadedFiles: loadedByJiti })
