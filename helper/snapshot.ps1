# -Snapshot: an operator runs the helper on a node that cannot run pods. The output is a snapshot file.

function Write-Snapshot {
    param([Parameter(Mandatory = $true)][string]$ScriptPath, [string]$OutFile, [string]$NodeName)
    $read = New-Object -TypeName System.Collections.Generic.List[string]
    $failed = New-Object -TypeName System.Collections.Generic.List[string]
    $splatCollect = @{
        ScriptPath       = $ScriptPath
        Sections         = @((Get-SectionTable).Keys | Where-Object -FilterScript { $_ -ne 'probes' })
        SectionTimeoutMs = 30000
        DeadlineMs       = 300000
        OnSection        = {
            param([string]$Name, [long]$Milliseconds, [AllowNull()][string]$Json, [AllowNull()][object]$Failure)
            if ($null -eq $Failure) { $read.Add('"' + $Name + '":' + $Json) } else { $failed.Add('"' + $Name + '":' + (ConvertTo-JsonText -Value $Failure)) }
        }
    }
    Invoke-Collect @splatCollect
    $node = ConvertTo-Json -InputObject (Get-OwnNodeName -NodeName $NodeName)
    $text = '{"apiVersion":"kubectl-win/v1","kind":"Snapshot","collectedAt":"' + (Format-Time -Time ([datetime]::UtcNow)) + '","nodes":{' + $node +
    ':{"sections":{' + [string]::Join(',', $read.ToArray()) + '},"errors":{' + [string]::Join(',', $failed.ToArray()) + '}}}}'
    if ($OutFile -ne '') {
        $path = $ExecutionContext.SessionState.Path.GetUnresolvedProviderPathFromPSPath($OutFile)
        [System.IO.File]::WriteAllText($path, $text + "`n", (New-Object -TypeName System.Text.UTF8Encoding -ArgumentList $false))
    } else {
        Write-Line -Writer (New-LineWriter) -Json $text
    }
}

# The default node name of the kubelet.
function Get-OwnNodeName {
    param([string]$NodeName)
    if ($NodeName -ne '') { return $NodeName }
    [System.Environment]::MachineName.ToLowerInvariant()
}
