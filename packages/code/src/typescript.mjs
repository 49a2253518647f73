// Worker threads do not inherit the loader of their parents: this one is for work on this repository, from source.
import { register } from 'tsx/esm/api'

register()
