# wait.until changes nothing: verifying the step is the wait.

function Invoke-WaitUntilStep {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param([string]$Phase, [psobject]$With, [object]$Saved, [string]$Folder)
    if ($Phase -ne 'Inspect') {
        [void]$PSCmdlet.ShouldProcess($With.until, 'Wait for')
        return
    }
    # An error says nothing about the condition: the wait continues.
    try {
        Get-ConditionState -With $With
    } catch {
        New-Inspection -Done $false -About "Not determined yet: $((ConvertTo-ErrorObject -ErrorRecord $_).message)"
    }
}

function Get-ConditionState {
    param([Parameter(Mandatory = $true)][psobject]$With)
    switch ($With.until) {
        'service' {
            $service = Get-ServiceState -Name $With.name
            New-Inspection -Done ((Get-Field -InputObject $service -Name State) -eq $With.state) -About "Service $($With.name) is $((Get-Field -InputObject $service -Name State)), expected: $($With.state)."
        }
        'hnsNetwork' {
            $there = @(Get-HnsObject -Kind networks | Where-Object -FilterScript { $_.Name -eq $With.name }).Count -gt 0
            New-Inspection -Done ($there -eq $With.present) -About "HNS network $($With.name) exists: $there."
        }
        'adapter' {
            $there = $null -ne (Find-NetAdapter -Name $With.name)
            New-Inspection -Done ($there -eq $With.present) -About "Adapter $($With.name) exists: $there."
        }
        'address' {
            $there = @(Get-NetIPAddressSection | Where-Object -FilterScript { $_.IPAddress -eq $With.address }).Count -gt 0
            New-Inspection -Done $there -About "Address $($With.address) exists: $there."
        }
        'tcp' {
            $failure = ''
            try { Connect-Tcp -Target $With.target -TimeoutMs 3000 } catch { $failure = (ConvertTo-ErrorObject -ErrorRecord $_).message }
            New-Inspection -Done ($failure -eq '') -About "$($With.target) is reachable: $($failure -eq ''). $failure"
        }
        'extension' {
            $extension = Find-SwitchExtension -SwitchName $With.switchName -ExtensionId $With.extensionId
            $enabled = $null -ne $extension -and [int]$extension.EnabledState -eq 2
            New-Inspection -Done ($enabled -eq $With.enabled) -About "Extension $($With.extensionId) of switch $($With.switchName) is enabled: $enabled."
        }
    }
}
