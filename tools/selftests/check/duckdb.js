// SPDX-License-Identifier: GPL-2.0-only
/*
 * duckdb.js DIR FILE... - run statements by DuckDB, and print the rows of the last file's, with tabs
 *
 * DIR is where npm has installed @duckdb/node-api. The working directory is that of the queries.
 */
"use strict";

const fs = require("fs");
const [dir, ...files] = process.argv.slice(2);
const { DuckDBInstance } = require(dir + "/node_modules/@duckdb/node-api");

async function main()
{
	const db = await DuckDBInstance.create(":memory:");
	const connection = await db.connect();
	let rows = [];

	for (const file of files)
		rows = (await connection.runAndReadAll(fs.readFileSync(file, "utf8"))).getRows();
	for (const row of rows)
		console.log(row.map(String).join("\t"));
}

main().catch(error => {
	console.error(String(error));
	process.exit(1);
});
