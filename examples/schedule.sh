#!/usr/bin/env bash
# Run an agent every weekday morning, with curl. Reads RETINUE_URL and RETINUE_API_KEY.
set -euo pipefail

API=${RETINUE_URL:-http://127.0.0.1:8000}/api/v1

# Send a request and print the response. curl fails on an error, after it has printed the server's message.
call() { # METHOD PATH [BODY]
    curl --silent --show-error --fail-with-body --request "$1" "$API$2" \
        --header "Authorization: Bearer $RETINUE_API_KEY" --header "Content-Type: application/json" ${3:+--data "$3"}
}

# Print the first number with this name in the JSON.
number() { grep -o "\"$1\":[0-9]*" | head -1 | cut -d: -f2; }

AGENT=$(call POST /agents '{"agent_name": "Briefing", "agent_role": "generalist"}' | number id)

SCHEDULE=$(call POST /schedules "{
    \"name\": \"Every weekday morning\",
    \"cron\": \"0 9 * * 1-5\",
    \"timezone\": \"Europe/Berlin\",
    \"agent_id\": $AGENT,
    \"message\": \"Write the briefing of the day.\",
    \"overlap\": \"skip\"
}" | number id)

echo "Next: $(call GET "/schedules/$SCHEDULE" | grep -o '"next_at":"[^"]*"')"

# Do not wait for the morning: trigger it now, then follow the run until it ends.
RUN=$(call POST "/schedules/$SCHEDULE/run" | number run_id)
call GET "/runs/$RUN/events" >/dev/null
call GET "/runs/$RUN" | grep -o '"status":"[a-z]*"' | head -1

call DELETE "/schedules/$SCHEDULE" >/dev/null
call DELETE "/agents/$AGENT" >/dev/null
