# The entry point. A request always exits with 0: the client reads the output, not the exit code.

function Invoke-Request {
    param([Parameter(Mandatory = $true)][string]$ScriptPath)
    $writer = New-LineWriter
    try {
        Write-Message -Writer $writer -Message ([ordered]@{
                type       = 'hello'
                protocol   = 1
                scriptHash = Get-Sha256 -Bytes ([System.IO.File]::ReadAllBytes($ScriptPath))
                host       = [System.Environment]::MachineName
            })
        $request = ConvertFrom-RequestLine -Line (Read-RequestLine -TimeoutMs 30000)
        $deadlineMs = Get-RequestNumber -Request $request -Name deadlineMs -Default 120000 -Minimum 100 -Maximum 3600000
        Start-Watchdog -Milliseconds ($deadlineMs + 5000)
        $splatRequest = @{ Writer = $writer; Request = $request; ScriptPath = $ScriptPath; DeadlineMs = $deadlineMs }
        switch -CaseSensitive ([string](Get-Field -InputObject $request -Name request)) {
            'collect' { Invoke-CollectRequest @splatRequest }
            'selftest' { Invoke-SelfTestRequest @splatRequest }
            'plan.check' { Invoke-PlanCheckRequest @splatRequest }
            'plan.start' { Invoke-PlanStartRequest @splatRequest }
            'plan.follow' { Invoke-PlanFollowRequest @splatRequest }
            'plan.status' { Invoke-PlanStatusRequest @splatRequest }
            'plan.resume' { Invoke-PlanAgainRequest -Writer $writer -Request $request -Mode Resume }
            'plan.rollback' { Invoke-PlanAgainRequest -Writer $writer -Request $request -Mode Rollback }
            'plan.prune' { Invoke-PlanPruneRequest @splatRequest }
            'audit.read' { Invoke-AuditRequest @splatRequest }
            'boot.set' { Invoke-BootSetRequest @splatRequest }
            'boot.status' { Invoke-BootStatusRequest @splatRequest }
            'boot.remove' { Invoke-BootRemoveRequest @splatRequest }
            default { throw (New-HelperError -Kind UnknownRequest -Message "This helper does not know the request '$_'.") }
        }
    } catch {
        $failure = ConvertTo-ErrorObject -ErrorRecord $_
        Write-Message -Writer $writer -Message ([ordered]@{ type = 'error'; kind = $failure.kind; message = $failure.message })
    }
    Write-End -Writer $writer
}

Remove-ArrayCount
switch ($PSCmdlet.ParameterSetName) {
    'Snapshot' { Write-Snapshot -ScriptPath $PSCommandPath -OutFile $OutFile -NodeName $NodeName }
    'SelfTest' { Write-SelfTest -ScriptPath $PSCommandPath -OutFile $OutFile }
    'PlanFile' { if (-not (Invoke-PlanFile -Path $RunPlanFile -ScriptPath $PSCommandPath -NodeName $NodeName)) { [System.Environment]::Exit(1) } }
    'Keep' { Invoke-Keep -ScriptPath $PSCommandPath -IntervalSeconds $Keep }
    'Plan' { Invoke-Plan -Id $RunPlan.ToString() -Hash $PlanHash -Mode $Mode -ScriptPath $PSCommandPath }
    'Guard' { Invoke-Guard -Id $Guard.ToString() -Hash $PlanHash -ScriptPath $PSCommandPath }
    'Boot' { Invoke-BootPlan -Hash $PlanHash -ScriptPath $PSCommandPath }
    default { Invoke-Request -ScriptPath $PSCommandPath }
}
# Exit, because work that hangs in a native call would keep the process alive.
[System.Environment]::Exit(0)
