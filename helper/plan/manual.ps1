# -RunPlanFile: an operator runs a plan on a node that cannot run pods. It is stored, journaled, guarded and run by a scheduled
# task like any plan, because the plan may also cut off the operator's session.

# Returns whether the plan succeeded.
function Invoke-PlanFile {
    param([Parameter(Mandatory = $true)][string]$Path, [Parameter(Mandatory = $true)][string]$ScriptPath, [string]$NodeName)
    $writer = New-LineWriter
    try {
        $asked = Read-PlanFile -Path $ExecutionContext.SessionState.Path.GetUnresolvedProviderPathFromPSPath($Path)
        $own = Get-OwnNodeName -NodeName $NodeName
        if ($asked.Plan.node -ne $own) { throw (New-HelperError -Kind BadRequest -Message "The plan is for node $($asked.Plan.node), not for $own. If both are this node, add -NodeName $($asked.Plan.node).") }
        Assert-NoPlanRunning
        Show-Plan -Writer $writer -Plan $asked.Plan -ScriptPath $ScriptPath
        if (-not (Confirm-Plan -Writer $writer)) {
            Write-Line -Writer $writer -Json 'Nothing was changed.'
            return $false
        }
        $id = Get-PlanId -Id $asked.Plan.id
        Save-Plan -Id $id -Text $asked.Text -ScriptPath $ScriptPath
        Start-PlanTask -Id $id -Hash $asked.Hash -Mode Run
        return Wait-PlanEnd -Writer $writer -Id $id
    } catch {
        Write-Line -Writer $writer -Json "error: $((ConvertTo-ErrorObject -ErrorRecord $_).message)"
        return $false
    }
}

# PowerShell cannot read YAML: a plan file has the steps of the node in one line of base64.
function Read-PlanFile {
    param([Parameter(Mandatory = $true)][string]$Path)
    if (-not [System.IO.File]::Exists($Path)) { throw (New-HelperError -Kind NotFound -Message "File $Path does not exist.") }
    if ((New-Object -TypeName System.IO.FileInfo -ArgumentList $Path).Length -gt 1048576) { throw (New-HelperError -Kind BadRequest -Message "$Path is too large for a plan.") }
    $found = [regex]::Matches([System.IO.File]::ReadAllText($Path), '(?m)^\s*"?manual"?:\s*(?:>-?\s+)?["'']?([A-Za-z0-9+/]+={0,2})["'']?,?\s*$')
    if ($found.Count -ne 1) {
        $message = "$Path has $($found.Count) plans for a node to run manually, not 1. Write one with: kubectl win cleanup NODE --from node.json -o yaml"
        throw (New-HelperError -Kind BadRequest -Message $message)
    }
    $text = [System.Text.Encoding]::UTF8.GetString([System.Convert]::FromBase64String($found[0].Groups[1].Value))
    $hash = Get-Sha256 -Bytes ([System.Text.Encoding]::UTF8.GetBytes($text))
    [pscustomobject]@{ Text = $text; Hash = $hash; Plan = (ConvertFrom-PlanText -Text $text -Hash $hash) }
}

# Every step: its parameters, its reason, whether it cuts off the node, and its current state.
function Show-Plan {
    param([Parameter(Mandatory = $true)][psobject]$Writer, [Parameter(Mandatory = $true)][psobject]$Plan, [Parameter(Mandatory = $true)][string]$ScriptPath)
    Write-Line -Writer $Writer -Json (Format-PlainText -Text "$($Plan.title) (node $($Plan.node), plan $($Plan.id))")
    $steps = @($Plan.steps)
    foreach ($check in @(Get-StepCheck -Plan $Plan -ScriptPath $ScriptPath)) {
        $step = $steps[$check.step]
        $cuts = ''
        if (Get-Field -InputObject $step -Name cuts) { $cuts = ', CUTS THE NETWORK' }
        Write-Line -Writer $Writer -Json (Format-PlainText -Text "$($check.step + 1). $($step.do) $(ConvertTo-JsonText -Value $step.with)$cuts")
        $why = [string](Get-Field -InputObject $step -Name why)
        if ($why -ne '') { Write-Line -Writer $Writer -Json (Format-PlainText -Text "   $why") }
        $now = @{ ready = 'to do'; already = 'already done'; blocked = 'BLOCKED' }[$check.outcome]
        Write-Line -Writer $Writer -Json (Format-PlainText -Text "   now: $now. $($check.message)")
    }
    if ($null -ne (Get-Field -InputObject $Plan -Name deadMan)) {
        Write-Line -Writer $Writer -Json "The node's network is saved first, and restored automatically unless $($Plan.deadMan.address) and $($Plan.deadMan.apiServer) are back within $($Plan.deadMan.withinSeconds) s."
    }
}

# Text from a file must not control the terminal.
function Format-PlainText {
    param([Parameter(Mandatory = $true)][AllowEmptyString()][string]$Text)
    $Text -replace '[\x00-\x1F\x7F-\x9F\u200E\u200F\u202A-\u202E\u2066-\u2069]', '?'
}

function Confirm-Plan {
    param([Parameter(Mandatory = $true)][psobject]$Writer)
    Write-Line -Writer $Writer -Json "Type 'yes' to run this plan:"
    $reader = New-Object -TypeName System.IO.StreamReader -ArgumentList ([System.Console]::OpenStandardInput()), ([System.Text.Encoding]::UTF8)
    ([string]$reader.ReadLine()).Trim() -ceq 'yes'
}

# Prints the journal until the plan has ended or its process is gone.
function Wait-PlanEnd {
    param([Parameter(Mandatory = $true)][psobject]$Writer, [Parameter(Mandatory = $true)][string]$Id)
    $seen = 0
    while ($true) {
        # Checked before the lines are read: otherwise a plan that ends in between would count as interrupted.
        $running = Test-PlanRunning -Id $Id
        $entries = @(Read-Journal -Id $Id)
        for (; $seen -lt $entries.Count; $seen++) {
            $entry = $entries[$seen]
            $about = @('step', 'do', 'outcome', 'message', 'error' | ForEach-Object -Process { Format-EntryField -Entry $entry -Name $_ })
            Write-Line -Writer $Writer -Json (Format-PlainText -Text ([string]::Join(' ', @($entry.event) + $about)))
        }
        if (-not $running -and $entries.Count -gt 0) {
            $outcome = Get-PlanOutcome -Entries $entries
            if ($null -eq $outcome) { Write-Line -Writer $Writer -Json 'The plan was interrupted. Its guard restores the network of the node if needed.' }
            return $outcome -eq 'succeeded'
        }
        Start-Sleep -Milliseconds 500
    }
}

function Format-EntryField {
    param([Parameter(Mandatory = $true)][psobject]$Entry, [Parameter(Mandatory = $true)][string]$Name)
    $value = Get-Field -InputObject $Entry -Name $Name
    if ($null -eq $value) { return }
    if ($Name -eq 'step') { return [string]([int]$value + 1) }
    if ($Name -eq 'error') { return [string]$value.message }
    [string]$value
}
