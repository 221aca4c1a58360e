'use strict'
module.exports = require('./toolmesh.node')
